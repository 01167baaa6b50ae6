import type { z } from "zod";

/** Public events reach webhooks and the feed; internal ones stay between services. */
export type EventAudience = "public" | "internal";

export interface EventContract<Data extends z.ZodType = z.ZodType> {
  readonly audience: EventAudience;
  readonly data: Data;
}

export function event<Data extends z.ZodType>(contract: EventContract<Data>): EventContract<Data> {
  return contract;
}

/** What travels on the stream: one change of one record. */
export interface EventEnvelope<Type extends string = string, Data = unknown> {
  readonly id: string;
  readonly type: Type;
  /** The record's own count of its events: a consumer can tell old from new. */
  readonly seq: number;
  readonly businessid: string;
  readonly recordid: string;
  readonly at: string;
  readonly data: Data;
  readonly traceparent?: string;
}
