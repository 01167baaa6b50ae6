import { type BatchedEvent, type EventBatch, messageIdOf } from "./event-batch.ts";

/** The oldest are forgotten first: messages that another worker finished are never removed otherwise. */
const messagesMax = 10_000;

/** The failures of a message's events, kept from one delivery of the message to the next. */
interface FailedMessage {
  readonly messageId: string;
  /** Failed attempts by the event's index; infinite after its dead letter was stored. */
  readonly attempts: Map<number, number>;
  /** True when all events of the message were tried: events without a failed attempt are done. */
  isTried: boolean;
}

/** Counts failed attempts. Deliveries do not count: crashes and pauses cause those too. */
export interface FailedAttempts {
  countOf(event: BatchedEvent<unknown>): number;
  record(event: BatchedEvent<unknown>, attempts: number): void;
  recordTried(batch: EventBatch): void;
  /** Whether the event was handled or dead-lettered in an earlier delivery of its message. */
  isFinished(event: BatchedEvent<unknown>): boolean;
  forget(batch: EventBatch): void;
}

export function createFailedAttempts(): FailedAttempts {
  const bySequence = new Map<number, FailedMessage>();

  function failedMessageOf({ message }: EventBatch): FailedMessage | undefined {
    const failed = bySequence.get(message.seq);
    // After the stream was created again, its sequence numbers name other messages.
    return failed?.messageId === messageIdOf(message) ? failed : undefined;
  }

  return {
    countOf: ({ batch, index }) => failedMessageOf(batch)?.attempts.get(index) ?? 0,
    record: ({ batch, index }, attempts) => {
      const { message } = batch;
      const messageId = messageIdOf(message);
      const failed = failedMessageOf(batch) ?? { messageId, attempts: new Map(), isTried: false };
      failed.attempts.set(index, attempts);
      const [oldest] = bySequence.keys();
      if (bySequence.size >= messagesMax && oldest !== undefined) bySequence.delete(oldest);
      bySequence.set(message.seq, failed);
    },
    recordTried: (batch) => {
      const failed = failedMessageOf(batch);
      if (failed) failed.isTried = true;
    },
    isFinished: ({ batch, index }) => {
      const failed = failedMessageOf(batch);
      const attempts = failed?.attempts.get(index);
      return attempts === Infinity || (attempts === undefined && failed?.isTried === true);
    },
    forget: ({ message }) => bySequence.delete(message.seq),
  };
}
