export interface ConsumerSettings {
  /** The server redelivers a batch to another worker if it is not acknowledged in this time. */
  readonly ackWaitMs: number;
  readonly batchMax: number;
  /**
   * After a batch of many events, the next batch starts this long after the previous one, so that
   * more events gather. 50 ms by default.
   */
  readonly batchWaitMs?: number;
  /** Under load the next full batch starts while the previous one runs; their order is not kept. */
  readonly hasOverlappingBatches?: boolean;
  /** A message becomes a dead letter when its handler has failed this many times. */
  readonly attemptsMax: number;
  /** The delay after the first failure. It triples with each further failure, up to a minute. */
  readonly retryDelayMs: number;
  /** One process at a time reads the events, in the order of the stream. */
  readonly isOrdered?: boolean;
}
