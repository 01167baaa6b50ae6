export interface ConsumerTerms {
  /** How long a batch may go unanswered before another worker gets it. */
  readonly ackWaitMs: number;
  readonly batchMax: number;
  /** Behind a crowd of events, how long more are gathered; only a moment where nothing is said. */
  readonly gatherMs?: number;
  /** Under load a full batch is begun while the one before is worked off, in whatever order. */
  readonly isOverlapping?: boolean;
  /** How often a handler may refuse one message before it is set aside. */
  readonly refusalsMax: number;
  /** The pause after the first refusal; it triples with each further one, up to a minute. */
  readonly refusalDelayMs: number;
  /** Taken by one process at a time, in the stream's order, however often processes end. */
  readonly inOrder?: boolean;
}
