export interface ConsumerSettings {
  /** How long a batch may go unanswered before another worker gets it. */
  readonly ackWaitMs: number;
  readonly batchMax: number;
  /** Behind a crowd of events, how long more are gathered; only a moment where nothing is said. */
  readonly batchWaitMs?: number;
  /** Under load a full batch is begun while the one before is worked off, in whatever order. */
  readonly hasOverlappingBatches?: boolean;
  /** How often a handler may refuse one message before it is set aside. */
  readonly attemptsMax: number;
  /** The pause after the first refusal; it triples with each further one, up to a minute. */
  readonly retryDelayMs: number;
  /** Taken by one process at a time, in the stream's order, however often processes end. */
  readonly isOrdered?: boolean;
}
