import { processSpan, type Span, type Tracer } from "../tracing/index.ts";
import type { BatchedEvent } from "./event-batch.ts";
import type { Identified } from "./handler.ts";

/** An event that is given to a handler, and its span. */
export interface Delivery<Event extends Identified> {
  readonly source: BatchedEvent<Event>;
  readonly event: Event;
  readonly span: Span | undefined;
}

export function startDelivery<Event extends Identified>(
  tracer: Tracer | undefined,
  consumer: string,
  source: BatchedEvent<Event>,
  event: Event,
): Delivery<Event> {
  const span = processSpan(tracer, consumer, source.batch, event);
  return { source, event: span ? { ...event, traceparent: span.traceparent } : event, span };
}
