import { hash } from "node:crypto";
import type { EventType } from "@malipo/contracts";
import type { StoredEvent } from "./event-document.ts";

const eventsMax = 100;
/** NATS refuses over 1 MB, and a character may take three bytes. */
const charactersMax = 256 * 1_024;

/** An event on its way onto the stream. */
export interface Outgoing {
  readonly event: Pick<StoredEvent, "id" | "type">;
  /** Its envelope, as JSON. */
  readonly text: string;
}

/** Events that travel in one message: all of one type. */
export interface Bundle<Event extends Outgoing> {
  readonly type: EventType;
  readonly events: readonly Event[];
}

/**
 * What leaves together, in as few messages as can be: a message costs more than what is in it, to
 * the stream and to everybody who listens. The lists are of one record each, oldest first: all
 * records' first events leave before all second ones, so that none overtakes an older one of its
 * record.
 */
export function bundle<Event extends Outgoing>(
  ofRecords: readonly (readonly Event[])[],
): readonly Bundle<Event>[] {
  const longest = Math.max(0, ...ofRecords.map(({ length }) => length));
  const bundles: Bundle<Event>[] = [];
  for (let nth = 0; nth < longest; nth += 1) {
    const together = ofRecords.flatMap((events) => events[nth] ?? []);
    for (const [type, events] of Map.groupBy(together, ({ event }) => event.type)) {
      for (const some of divide(events)) bundles.push({ type, events: some });
    }
  }
  return bundles;
}

/** No bundle is too large for a message, but for an event that is it alone. */
function divide<Event extends Outgoing>(events: readonly Event[]): readonly (readonly Event[])[] {
  const parts: Event[][] = [];
  let characters = 0;
  for (const event of events) {
    const part = parts.at(-1);
    characters += event.text.length;
    if (part && part.length < eventsMax && characters <= charactersMax) part.push(event);
    else {
      parts.push([event]);
      characters = event.text.length;
    }
  }
  return parts;
}

/** An event alone is itself, several are a list. */
export function bodyOf({ events }: Bundle<Outgoing>): string {
  const texts = events.map(({ text }) => text);
  return texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(",")}]`;
}

/**
 * The stream keeps one message of an id, and acknowledges another one unseen: whatever is tried again
 * in other company is another message.
 */
export function messageIdOf({ events }: Bundle<Outgoing>): string {
  const ids = events.map(({ event }) => event.id);
  if (ids.length === 1) return ids[0] ?? "";
  return `evts_${hash("sha256", ids.join(), "base64url")}`;
}
