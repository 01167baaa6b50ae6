import {
  type EventContract,
  type EventEnvelope,
  type EventOf,
  type EventPattern,
  type EventType,
  events,
  eventsInMessage,
} from "@malipo/contracts";
import type { JsMsg } from "@nats-io/jetstream";

/** Only a handler that crashes its process each time gets this far without a failed attempt. */
const deliveriesMax = 100;

/** A message of the stream with one or several events. Its events may be handled in several batches. */
export interface EventBatch {
  readonly message: JsMsg;
  /** The number of events in the message. */
  readonly size: number;
}

/** One of the events of a message. */
export interface BatchedEvent<Event> {
  readonly batch: EventBatch;
  readonly index: number;
  /** The JSON value in the message. */
  readonly raw: unknown;
  /** The event, or the reason why it cannot be read. */
  readonly event: Event | string;
}

/** Turns a JSON value into an event, or returns the reason why it cannot. */
export type ReadEvent<Event> = (raw: unknown) => Event | string;

/** The events of a message. A message that cannot be read is one unreadable event. */
export function eventsOf<Event>(
  message: JsMsg,
  read: ReadEvent<Event>,
): readonly BatchedEvent<Event>[] {
  const values = valuesOf(message);
  if (typeof values === "string") {
    return [{ batch: { message, size: 1 }, index: 0, raw: undefined, event: values }];
  }
  const batch = { message, size: values.length };
  return values.map((raw, index) => ({ batch, index, raw, event: readSafely(raw, read) }));
}

function valuesOf(message: JsMsg): readonly unknown[] | string {
  if (message.info.deliveryCount > deliveriesMax) {
    return `delivered ${deliveriesMax} times without an outcome`;
  }
  try {
    const values = eventsInMessage<unknown>(message.json());
    return values.length > 0 ? values : "unreadable: an empty list";
  } catch {
    // The parser's error would quote the message, which may hold personal data.
    return "unreadable: not JSON";
  }
}

function readSafely<Event>(raw: unknown, read: ReadEvent<Event>): Event | string {
  try {
    return read(raw);
  } catch (error) {
    return `unreadable: ${String(error)}`;
  }
}

export function messageIdOf(message: JsMsg): string {
  return message.headers?.get("Nats-Msg-Id") ?? "";
}

/** The id of an event: alone in its message it has the message's id, in a list its own. */
export function eventIdOf({ batch, index, raw }: BatchedEvent<unknown>): string {
  const messageId = messageIdOf(batch.message);
  if (batch.size === 1) return messageId;
  const { id } = Object(raw) as { id?: unknown };
  return typeof id === "string" ? id : `${messageId}:${index}`;
}

/** The distinct messages that these events came in. */
export function messagesOf(events: readonly BatchedEvent<unknown>[]): readonly JsMsg[] {
  return [...new Set(events.map(({ batch }) => batch.message))];
}

/** The event, or the reason why it does not match its contract. */
export function readEvent(raw: unknown): EventOf<EventPattern> | string {
  const envelope = raw as EventEnvelope;
  const contract = events[envelope.type as EventType] as EventContract | undefined;
  if (!contract) return `unreadable: unknown event type ${envelope.type}`;
  const data = contract.data.safeParse(envelope.data);
  if (!data.success) return `unreadable: ${data.error.message}`;
  const inside = contract.inside.safeParse(envelope.inside);
  if (!inside.success) return `unreadable inside: ${inside.error.message}`;
  return { ...envelope, data: data.data, inside: inside.data } as EventOf<EventPattern>;
}
