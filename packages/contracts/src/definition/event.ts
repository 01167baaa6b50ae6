import { z } from "zod";

/** Public events reach webhooks and the event feed; internal events stay between services. */
export type EventAudience = "public" | "internal";

export interface EventContract<
  Data extends z.ZodType = z.ZodType,
  Inside extends z.ZodType = z.ZodType,
> {
  readonly audience: EventAudience;
  /** The event's data. For a public event this is exactly what businesses receive. */
  readonly data: Data;
  /** Data for services only. Businesses never receive it. */
  readonly inside: Inside;
}

const noInsideData = z.undefined();

export function event<Data extends z.ZodType, Inside extends z.ZodType = typeof noInsideData>(
  contract: Omit<EventContract<Data>, "inside"> & { readonly inside?: Inside },
): EventContract<Data, Inside> {
  return { inside: noInsideData as unknown as Inside, ...contract };
}

/** An event as it is sent on the stream: one change of one record. */
export interface EventEnvelope<Type extends string = string, Data = unknown, Inside = unknown> {
  readonly id: string;
  readonly type: Type;
  /** Counts the events of this record, so that a consumer can skip an older one. */
  readonly seq: number;
  readonly businessid: string;
  readonly recordid: string;
  readonly at: string;
  readonly data: Data;
  readonly inside: Inside;
  readonly traceparent?: string;
}

/** A stream message holds one event or a list: the outbox sends events of one type together. */
export function eventsInMessage<Item = EventEnvelope>(
  content: Item | readonly Item[],
): readonly Item[] {
  return Array.isArray(content) ? content : [content as Item];
}
