import { z } from "zod";

/** Public events reach webhooks and the feed; internal ones stay between services. */
export type EventAudience = "public" | "internal";

export interface EventContract<
  Data extends z.ZodType = z.ZodType,
  Inside extends z.ZodType = z.ZodType,
> {
  readonly audience: EventAudience;
  /** Of a public event just what its readers see. */
  readonly data: Data;
  /** What only services may know beside it. */
  readonly inside: Inside;
}

const nothingInside = z.undefined();

export function event<Data extends z.ZodType, Inside extends z.ZodType = typeof nothingInside>(
  contract: Omit<EventContract<Data>, "inside"> & { readonly inside?: Inside },
): EventContract<Data, Inside> {
  return { inside: nothingInside as unknown as Inside, ...contract };
}

/** What travels on the stream: one change of one record. */
export interface EventEnvelope<Type extends string = string, Data = unknown, Inside = unknown> {
  readonly id: string;
  readonly type: Type;
  /** The record's own count of its events: a consumer can tell old from new. */
  readonly seq: number;
  readonly businessid: string;
  readonly recordid: string;
  readonly at: string;
  readonly data: Data;
  readonly inside: Inside;
  readonly traceparent?: string;
}

/** A message on a stream tells one thing, or a list of them: what leaves together travels together. */
export function eventsInMessage<Told = EventEnvelope>(
  content: Told | readonly Told[],
): readonly Told[] {
  return Array.isArray(content) ? content : [content as Told];
}
