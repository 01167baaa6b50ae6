import type { ConsumerSettings } from "@malipo/contracts";
import { secondMs } from "@malipo/core";
import type { Service } from "../service/index.ts";
import { publishDeadLetter } from "./dead-letters.ts";
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
interface FailedAttempts {
  countOf(event: BatchedEvent<unknown>): number;
  record(event: BatchedEvent<unknown>, attempts: number): void;
  recordTried(batch: EventBatch): void;
  /** Whether the event was handled or dead-lettered in an earlier delivery of its message. */
  isFinished(event: BatchedEvent<unknown>): boolean;
  forget(batch: EventBatch): void;
}

function createFailedAttempts(): FailedAttempts {
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

const retryDelayMaxMs = 60 * secondMs;
const releaseDelayMs = 500;

/** Settles events one by one. A message is acked or retried when all its events are settled. */
export interface Settlement {
  ack(event: BatchedEvent<unknown>): void;
  /** Counts a failed attempt. After the last one the event is dead-lettered. */
  retry(event: BatchedEvent<unknown>, reason: string, traceid?: string): Promise<void>;
  deadLetter(event: BatchedEvent<unknown>, reason: string, traceid?: string): Promise<void>;
  /** Returns the message to the stream for another worker; no attempt is counted. */
  release(event: BatchedEvent<unknown>): void;
  /** True for an event that an earlier delivery of its message finished; it is settled at once. */
  skipDuplicate(event: BatchedEvent<unknown>): boolean;
}

/** Only failures of the handler count as attempts; see `FailedAttempts`. */
export function createSettlement(
  service: Service,
  terms: ConsumerSettings & { readonly name: string },
): Settlement {
  const { log, metrics, wire, config } = service;
  const consumer = terms.name;
  const failedAttempts = createFailedAttempts();
  const settle = createMessageSettler(failedAttempts);

  function count(outcome: "done" | "refused" | "dead") {
    metrics.consumed.inc({ messaging_consumer_group_name: consumer, outcome });
  }

  async function deadLetter(event: BatchedEvent<unknown>, reason: string, traceid?: string) {
    const { seq } = event.batch.message;
    try {
      await publishDeadLetter(wire.nats, config.NAMESPACE, consumer, event, reason);
    } catch (error) {
      log.error({ err: error, consumer, seq }, "dead letter not stored; will retry");
      failedAttempts.record(event, terms.attemptsMax);
      return settle(event, { retryDelayMs: retryDelayMaxMs });
    }
    failedAttempts.record(event, Infinity);
    count("dead");
    log.error({ consumer, seq, reason, trace_id: traceid }, "event dead-lettered");
    settle(event, { isDeadLettered: true });
  }

  return {
    deadLetter,
    ack: (event) => {
      count("done");
      settle(event);
    },
    retry: async (event, reason, traceid) => {
      const attempts = failedAttempts.countOf(event) + 1;
      if (attempts >= terms.attemptsMax) return deadLetter(event, reason, traceid);
      failedAttempts.record(event, attempts);
      count("refused");
      const { seq } = event.batch.message;
      log.warn({ consumer, seq, attempts, reason, trace_id: traceid }, "event failed; will retry");
      settle(event, { retryDelayMs: retryDelayOf(terms, attempts, service.random()) });
    },
    // Without a delay the message would return to the pull that this worker is closing.
    release: ({ batch }) => batch.message.nak(releaseDelayMs),
    skipDuplicate: (event) => {
      const isFinished = failedAttempts.isFinished(event);
      if (isFinished) settle(event);
      return isFinished;
    },
  };
}

interface MessageProgress {
  unsettled: number;
  /** The longest delay of its failed events; 0 if none failed. */
  retryDelayMs: number;
  hasDeadLetter: boolean;
}

/** Settles a message with its last event: retried if an event failed, else terminated or acked. */
function createMessageSettler(failedAttempts: FailedAttempts) {
  const progressByBatch = new WeakMap<EventBatch, MessageProgress>();

  function progressOf(batch: EventBatch): MessageProgress {
    const known = progressByBatch.get(batch);
    const progress = known ?? { unsettled: batch.size, retryDelayMs: 0, hasDeadLetter: false };
    if (!known) progressByBatch.set(batch, progress);
    return progress;
  }

  return function settle(
    { batch }: BatchedEvent<unknown>,
    { retryDelayMs = 0, isDeadLettered = false } = {},
  ) {
    const { message } = batch;
    const progress = progressOf(batch);
    progress.unsettled -= 1;
    progress.retryDelayMs = Math.max(progress.retryDelayMs, retryDelayMs);
    progress.hasDeadLetter ||= isDeadLettered;
    if (progress.unsettled > 0) return;
    failedAttempts.recordTried(batch);
    if (progress.retryDelayMs > 0) return message.nak(progress.retryDelayMs);
    failedAttempts.forget(batch);
    if (progress.hasDeadLetter) message.term();
    else message.ack();
  };
}

/**
 * Triples with each attempt up to a minute. Half of it is random, so that retries spread out; `random`
 * is from 0 to below 1.
 */
export function retryDelayOf(
  { retryDelayMs }: ConsumerSettings,
  attempts: number,
  random: number,
): number {
  const boundedMs = Math.min(retryDelayMaxMs, retryDelayMs * 3 ** (attempts - 1));
  // The server ignores a delay that is not a whole number.
  return Math.round(boundedMs / 2 + random * (boundedMs / 2));
}
