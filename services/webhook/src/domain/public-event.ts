import { type EventEnvelope, type EventOf, events as contracts } from "@malipo/contracts";
import { addMs, dayMs } from "@malipo/core";

/** Events, their deliveries and the event log are kept for this long. */
export const retentionMs = 30 * dayMs;

/** An event as businesses see it. */
export interface PublicEvent {
  readonly id: string;
  readonly businessid: string;
  readonly type: string;
  readonly resourceid: string;
  readonly sequence: number;
  readonly at: Date;
  readonly body: string;
}

/**
 * The public ones among these events, each once. An event older than the retention is left out,
 * because the record of its delivery may be deleted already.
 */
export function publicEventsAmong(
  events: readonly EventOf<"*">[],
  now: Date,
): readonly PublicEvent[] {
  const oldest = addMs(now, -retentionMs);
  const found = events
    .filter(({ type }) => contracts[type].audience === "public")
    .map((event) => ({
      id: event.id,
      businessid: event.businessid,
      type: event.type,
      resourceid: event.recordid,
      sequence: event.seq,
      at: new Date(event.at),
      body: eventBody(event),
    }))
    .filter(({ at }) => at > oldest);
  return [...new Map(found.map((event) => [event.id, event])).values()];
}

/** The body that receivers get. Events of invoices have a shape of their own in the interface. */
export function eventBody({
  id,
  type,
  at,
  data,
}: Pick<EventEnvelope, "id" | "type" | "at" | "data">): string {
  return JSON.stringify(
    type.startsWith("invoice.")
      ? { event: type, timestamp: at, data }
      : { id, type, created: at, data },
  );
}
