import type { JsMsg } from "@nats-io/jetstream";
import { processSpan } from "./message-spans.ts";
import type { Span, Tracer } from "./tracer.ts";

export interface Identified {
  readonly id: string;
  /** The trace that whatever comes of it belongs to. */
  readonly traceparent?: string | undefined;
}

/** A message in hand, and what it says. */
export interface Delivery<Item extends Identified> {
  readonly message: JsMsg;
  readonly item: Item;
  readonly span: Span | undefined;
}

export function takeDelivery<Item extends Identified>(
  tracer: Tracer | undefined,
  consumer: string,
  message: JsMsg,
  item: Item,
): Delivery<Item> {
  const span = processSpan(tracer, consumer, message, item);
  return { message, item: span ? { ...item, traceparent: span.traceparent } : item, span };
}
