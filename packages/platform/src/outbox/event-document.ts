import type { EventEnvelope, EventType, NewEvent } from "@malipo/contracts";
import { momentText } from "@malipo/core";
import { type Collection, type Document, ObjectId } from "mongodb";
import { comparedLater, type Comparison } from "../reconciliation/comparison.ts";
import { presentTrace } from "../tracing/index.ts";

/** How many published events a document keeps for a replay. */
export const historyMax = 50;

/** When and in which trace something happened. */
export interface Cause {
  readonly now: Date;
  /** Of a request that may come again: its effect is held under this id. */
  readonly operationid?: string | undefined;
  /** That of the work being done, unless it says otherwise. */
  readonly traceparent?: string | undefined;
}

export interface StoredEvent {
  readonly id: string;
  readonly type: EventType;
  readonly seq: number;
  readonly at: Date;
  readonly data: unknown;
  readonly inside?: unknown;
  readonly traceparent?: string;
}

/** The fields by which a document carries its own events: they are saved with what they tell of. */
export interface EventFields {
  /** The number of the newest event. */
  readonly seq: number;
  /** The number of the newest event that the stream was known to have when others were added. */
  readonly published: number;
  /** Under which the newest were written: whether they have been published, its book says. */
  readonly ticket?: ObjectId;
  readonly events: readonly StoredEvent[];
  /** Absent or null when all that it told is known to have arrived. */
  readonly compare?: Comparison | null;
}

/** Where the sweep finds what a crash left behind. */
export const ticketIndex = {
  key: { ticket: 1 },
  name: "ticket",
  partialFilterExpression: { ticket: { $exists: true } },
} as const;

/** The fields of a document that is being inserted; with a ticket where there is something to tell. */
export function firstEvents(
  news: readonly NewEvent[],
  cause: Cause,
  ticket: ObjectId | undefined,
): EventFields {
  return {
    seq: news.length,
    published: 0,
    ...(ticket && { ticket }),
    events: numbered(news, 0, cause),
    ...comparedLater(news, cause.now),
  };
}

/** What an update needs that appends events: a ticket, and whether all before has been published. */
export interface Telling {
  readonly ticket: ObjectId;
  readonly isTold: boolean;
}

/** The part of an update that appends events. */
export interface Append {
  readonly set: Document;
  readonly push: Document;
}

/** To the document as it was read. */
export function appendEvents(
  current: Omit<EventFields, "events">,
  news: readonly NewEvent[],
  cause: Cause,
  telling: Telling | undefined,
): Append {
  if (!telling) return { set: {}, push: {} };
  const { ticket, isTold } = telling;
  const seq = current.seq + news.length;
  const waiting = isTold ? news.length : seq - current.published;
  return {
    set: {
      seq,
      ticket,
      // Otherwise somebody may be marking it just now.
      ...(isTold && { published: current.seq }),
      ...comparedLater(news, cause.now, current.compare),
    },
    push: {
      events: {
        $each: numbered(news, current.seq, cause),
        $slice: -Math.max(historyMax, waiting),
      },
    },
  };
}

function numbered(news: readonly NewEvent[], after: number, cause: Cause): StoredEvent[] {
  const traceparent = cause.traceparent ?? presentTrace();
  return news.map(({ type, data, inside }, index) => ({
    id: `evt_${new ObjectId().toHexString()}`,
    type,
    seq: after + index + 1,
    at: cause.now,
    data,
    ...(inside !== undefined && { inside }),
    ...(traceparent !== undefined && { traceparent }),
  }));
}

export function unpublishedOf({ events, published }: EventFields): readonly StoredEvent[] {
  return events.filter(({ seq }) => seq > published);
}

export type EventfulDocument = Document &
  EventFields & { readonly _id: ObjectId | string; readonly businessid?: ObjectId };

export type EventfulCollection = Collection<EventfulDocument>;

export function envelopeOf(document: EventfulDocument, event: StoredEvent): EventEnvelope {
  return {
    id: event.id,
    type: event.type,
    seq: event.seq,
    // A business's own events are about itself.
    businessid: String(document.businessid ?? document._id),
    recordid: String(document._id),
    at: momentText(event.at),
    data: event.data,
    inside: event.inside,
    ...(event.traceparent !== undefined && { traceparent: event.traceparent }),
  };
}
