import { type EventType, eventSubject } from "@malipo/contracts";
import { secondMs } from "@malipo/core";
import { headers } from "@nats-io/nats-core";
import { hash } from "node:crypto";
import { describeError } from "../logging/index.ts";
import type { Metrics } from "../metrics/index.ts";
import type { SendNatsRequest } from "../nats/index.ts";
import { type Span, type Tracer, publishSpan, traceHeaders } from "../tracing/index.ts";
import { type EventfulDocument, type StoredEvent, envelopeOf } from "./event-document.ts";

const eventsMax = 100;
/** NATS refuses messages over 1 MB, and a character may take three bytes. */
const charactersMax = 256 * 1_024;

/** An event that is ready to be sent. */
export interface OutgoingEvent {
  readonly event: Pick<StoredEvent, "id" | "type">;
  /** Its envelope, as JSON. */
  readonly text: string;
}

/** Events of one type that share one stream message. */
export interface EventMessage<Event extends OutgoingEvent> {
  readonly type: EventType;
  readonly events: readonly Event[];
}

/**
 * Distributes events over as few messages as possible: a message costs the stream and its consumers
 * more than the events in it. Each list holds the events of one record, oldest first. All records'
 * first events leave before all second ones, so that no event leaves before an older one of its
 * record.
 */
export function messagesFor<Event extends OutgoingEvent>(
  eventsByRecord: readonly (readonly Event[])[],
): readonly EventMessage<Event>[] {
  const longest = Math.max(0, ...eventsByRecord.map(({ length }) => length));
  const messages: EventMessage<Event>[] = [];
  for (let nth = 0; nth < longest; nth += 1) {
    const nthEvents = eventsByRecord.flatMap((events) => events[nth] ?? []);
    for (const [type, events] of Map.groupBy(nthEvents, ({ event }) => event.type)) {
      for (const chunk of split(events)) messages.push({ type, events: chunk });
    }
  }
  return messages;
}

/** No chunk is too large for a message, except for a single event that is too large itself. */
function split<Event extends OutgoingEvent>(
  events: readonly Event[],
): readonly (readonly Event[])[] {
  const chunks: Event[][] = [];
  let characters = 0;
  for (const event of events) {
    const chunk = chunks.at(-1);
    characters += event.text.length;
    if (chunk && chunk.length < eventsMax && characters <= charactersMax) chunk.push(event);
    else {
      chunks.push([event]);
      characters = event.text.length;
    }
  }
  return chunks;
}

/** A single event is the message itself; several events are a list. */
export function bodyOf({ events }: EventMessage<OutgoingEvent>): string {
  const texts = events.map(({ text }) => text);
  return texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(",")}]`;
}

/**
 * The stream acknowledges a message whose id it has seen without storing it. So a retry with the same
 * events has the same id, and a retry with other events has another one.
 */
export function messageIdOf({ events }: EventMessage<OutgoingEvent>): string {
  const ids = events.map(({ event }) => event.id);
  if (ids.length === 1) return ids[0] ?? "";
  return `evts_${hash("sha256", ids.join(), "base64url")}`;
}

const publishTimeoutMs = 5 * secondMs;

/** The stream refused events, or did not acknowledge them in time. */
export class NotOnStream extends Error {
  override readonly name = "NotOnStream";
}

export interface PublishOptions {
  readonly ask: SendNatsRequest;
  readonly namespace: string;
  readonly metrics: Metrics;
  readonly tracer: Tracer | undefined;
}

/** An event of a record, with the span of its publication. */
export interface TracedEvent extends OutgoingEvent {
  readonly event: StoredEvent;
  readonly span: Span | undefined;
}

export function outgoingEvent(
  { namespace, tracer }: PublishOptions,
  document: EventfulDocument,
  event: StoredEvent,
  { isRepeated = false } = {},
): TracedEvent {
  const { id, traceparent } = event;
  const subject = eventSubject(namespace, event.type);
  const span = publishSpan(tracer, { subject, id, traceparent, again: isRepeated });
  const envelope = envelopeOf(document, event);
  const text = JSON.stringify(span ? { ...envelope, traceparent: span.traceparent } : envelope);
  return { event, text, span };
}

/** The stream's answer: its name when it has stored the message, else an error. */
interface Acknowledgement {
  readonly stream?: string;
  readonly error?: { readonly description?: string };
}

/** Rejects with `NotOnStream` unless the stream has stored the message. */
export async function publishMessage(
  { ask, namespace, metrics }: PublishOptions,
  message: EventMessage<TracedEvent>,
): Promise<void> {
  const { type, events } = message;
  const [first, second] = events;
  try {
    const messageHeaders = first?.span && !second ? traceHeaders(first.span) : headers();
    messageHeaders.set("Nats-Msg-Id", messageIdOf(message));
    const reply = await ask({
      subject: eventSubject(namespace, type),
      body: Buffer.from(bodyOf(message)),
      headers: () => messageHeaders,
      timeoutMs: publishTimeoutMs,
    });
    const { stream, error } = reply.json<Acknowledgement>();
    if (!stream) throw new Error(error?.description ?? "no stream");
    for (const { span } of events) span?.end();
    metrics.eventsPublished.inc({ messaging_destination_name: `event.${type}` }, events.length);
  } catch (error) {
    for (const { span } of events) span?.end({ problem: "not acknowledged" });
    metrics.eventPublishFailures.inc({}, events.length);
    throw new NotOnStream(describeError(error).message, { cause: error });
  }
}
