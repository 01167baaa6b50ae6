import type { Part } from "./event-batch.ts";
import { processSpan } from "../tracing/message-spans.ts";
import type { Span, Tracer } from "../tracing/tracer.ts";

export interface Identified {
  readonly id: string;
  /** The trace that whatever comes of it belongs to. */
  readonly traceparent?: string | undefined;
}

/** An item in a handler's hands, and where it came from. */
export interface Delivery<Item extends Identified> {
  readonly part: Part<Item>;
  readonly item: Item;
  readonly span: Span | undefined;
}

export function takeDelivery<Item extends Identified>(
  tracer: Tracer | undefined,
  consumer: string,
  part: Part<Item>,
  item: Item,
): Delivery<Item> {
  const span = processSpan(tracer, consumer, part.parcel, item);
  return { part, item: span ? { ...item, traceparent: span.traceparent } : item, span };
}
