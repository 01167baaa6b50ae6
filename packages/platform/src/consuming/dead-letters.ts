import { deadSubject, streamName } from "@malipo/contracts";
import {
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  type StoredMsg,
} from "@nats-io/jetstream";
import { headers } from "@nats-io/nats-core";
import type { NatsConnection } from "@nats-io/transport-node";
import { idOf, type Part } from "./event-batch.ts";

const names = { reason: "reason", subject: "subject", event: "event" } as const;

/** A page of letters has to fit an answer. */
const bodyMax = 4_000;

export interface DeadLetter {
  readonly seq: number;
  readonly consumer: string;
  readonly event: string;
  readonly reason: string;
  readonly at: Date;
  /** Its beginning, if it is long. */
  readonly body: string;
}

/** Resolves once the letter is on its stream; only then may what it holds be given up. */
export async function publishDeadLetter(
  nats: NatsConnection,
  namespace: string,
  consumer: string,
  part: Part<unknown>,
  reason: string,
): Promise<void> {
  const { message, size } = part.parcel;
  const event = idOf(part);
  const written = headers();
  // A header holds one line.
  written.set(names.reason, reason.replaceAll(/\s+/g, " ").slice(0, 1_000));
  written.set(names.subject, message.subject);
  written.set(names.event, event);
  const data = size === 1 ? message.data : JSON.stringify(part.told);
  await jetstream(nats).publish(deadSubject(namespace, consumer), data, {
    msgID: `${consumer}:${event}:${message.seq}`,
    headers: written,
  });
}

/** How many there are. */
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
  let next = await letterFrom(manager, stream, from);
  while (next && letters.length < limit) {
    letters.push(letterOf(next));
    next = await letterFrom(manager, stream, next.seq + 1);
  }
  return letters;
}

/** Replayed letters leave gaps; the server steps over them. */
function letterFrom(manager: JetStreamManager, stream: string, seq: number) {
  // The server knows this request since 2.9; the client's type does not.
  const request = { seq, next_by_subj: ">" };
  return manager.streams.getMessage(stream, request);
}

/** Sends a dead letter's event to its stream again and removes the letter. */
export async function replayDeadLetter(
  nats: NatsConnection,
  namespace: string,
  seq: number,
): Promise<boolean> {
  const manager = await jetstreamManager(nats);
  const stream = streamName(namespace, "dead");
  const stored = await manager.streams.getMessage(stream, { seq });
  if (!stored) return false;
  const letter = letterOf(stored);
  await jetstream(nats).publish(stored.header.get(names.subject), stored.data, {
    msgID: `${letter.event}:replay:${seq}`,
  });
  return manager.streams.deleteMessage(stream, seq, false);
}

function letterOf(stored: StoredMsg): DeadLetter {
  return {
    seq: stored.seq,
    consumer: stored.subject.split(".").at(-1) ?? "",
    event: stored.header.get(names.event),
    reason: stored.header.get(names.reason),
    at: stored.time,
    body: stored.string().slice(0, bodyMax),
  };
}
