import { deadSubject, streamName } from "@malipo/contracts";
import { cutToJsonBytes } from "@malipo/core";
import {
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  type StoredMsg,
} from "@nats-io/jetstream";
import { headers } from "@nats-io/nats-core";
import type { NatsConnection } from "@nats-io/transport-node";
import { type BatchedEvent, eventIdOf } from "./event-batch.ts";

const headerNames = { reason: "reason", subject: "subject", event: "event" } as const;

/** A page of 100 dead letters must fit into a reply. */
const bodyMax = 4_000;
const bodyJsonMaxBytes = 6_000;
const reasonJsonMaxBytes = 2_000;

/** An event that failed too often, as it is kept on the dead-letter stream. */
export interface DeadLetter {
  readonly seq: number;
  readonly consumer: string;
  readonly event: string;
  readonly reason: string;
  readonly at: Date;
  /** The first 4,000 characters, or fewer if they take more than 6,000 bytes as JSON. */
  readonly body: string;
}

/** Resolves when the stream has stored the dead letter; only then may the message be terminated. */
export async function publishDeadLetter(
  nats: NatsConnection,
  namespace: string,
  consumer: string,
  source: BatchedEvent<unknown>,
  reason: string,
): Promise<void> {
  const { message, size } = source.batch;
  const event = eventIdOf(source);
  const written = headers();
  // A header is a single line.
  written.set(headerNames.reason, reason.replaceAll(/\s+/g, " ").slice(0, 1_000));
  written.set(headerNames.subject, message.subject);
  written.set(headerNames.event, event);
  const data = size === 1 ? message.data : JSON.stringify(source.raw);
  await jetstream(nats).publish(deadSubject(namespace, consumer), data, {
    msgID: `${consumer}:${event}:${message.seq}`,
    headers: written,
  });
}

export async function countDeadLetters(nats: NatsConnection, namespace: string): Promise<number> {
  const manager = await jetstreamManager(nats);
  const { state } = await manager.streams.info(streamName(namespace, "dead"));
  return state.messages;
}

/** Oldest first, at most `limit`, from a sequence number on. */
export async function listDeadLetters(
  nats: NatsConnection,
  namespace: string,
  { from = 1, limit = 100 } = {},
): Promise<DeadLetter[]> {
  const manager = await jetstreamManager(nats);
  const stream = streamName(namespace, "dead");
  const letters: DeadLetter[] = [];
  let next = await findFrom(manager, stream, from);
  while (next && letters.length < limit) {
    letters.push(deadLetterOf(next));
    next = await findFrom(manager, stream, next.seq + 1);
  }
  return letters;
}

/** The first dead letter from a sequence number on. Replayed letters leave gaps in the sequence. */
function findFrom(manager: JetStreamManager, stream: string, seq: number) {
  // NATS servers have this request since 2.9; the client's type lacks it.
  const request = { seq, next_by_subj: ">" };
  return manager.streams.getMessage(stream, request);
}

/** Publishes the event again on its own stream and deletes the dead letter; false if there is none. */
export async function replayDeadLetter(
  nats: NatsConnection,
  namespace: string,
  seq: number,
): Promise<boolean> {
  const manager = await jetstreamManager(nats);
  const stream = streamName(namespace, "dead");
  const stored = await manager.streams.getMessage(stream, { seq });
  if (!stored) return false;
  const letter = deadLetterOf(stored);
  await jetstream(nats).publish(stored.header.get(headerNames.subject), stored.data, {
    msgID: `${letter.event}:replay:${seq}`,
  });
  return manager.streams.deleteMessage(stream, seq, false);
}

function deadLetterOf(stored: StoredMsg): DeadLetter {
  return {
    seq: stored.seq,
    consumer: stored.subject.split(".").at(-1) ?? "",
    event: stored.header.get(headerNames.event),
    reason: cutToJsonBytes(stored.header.get(headerNames.reason), reasonJsonMaxBytes),
    at: stored.time,
    body: cutToJsonBytes(stored.string().slice(0, bodyMax), bodyJsonMaxBytes),
  };
}
