import { eventSubject } from "@malipo/contracts";
import { secondMs } from "@malipo/core";
import { headers } from "@nats-io/nats-core";
import { describeError } from "../logging/index.ts";
import type { Metrics } from "../metrics/index.ts";
import type { Ask } from "../nats/index.ts";
import { publishSpan, traceHeaders, type Span, type Tracer } from "../tracing/index.ts";
import { envelopeOf, type EventfulDocument, type StoredEvent } from "./event-document.ts";
import { bodyOf, type EventMessage, messageIdOf, type OutgoingEvent } from "./event-message.ts";

const publishTimeoutMs = 5 * secondMs;

/** The stream refused events, or did not acknowledge them in time. */
export class NotOnStream extends Error {
  override readonly name = "NotOnStream";
}

export interface PublishOptions {
  readonly ask: Ask;
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
