import type { EventEnvelope, EventType, NewEvent } from "@malipo/contracts";
import { type Collection, type Document, ObjectId } from "mongodb";
import { currentTrace } from "../tracing/index.ts";
import type { OutboxPosition } from "./outbox-position.ts";
import {
  type ReconciledFields,
  reconciliationOf,
  scheduleReconciliation,
} from "./pending-reconciliation.ts";
import { type StoredPosition, storedPosition } from "./stored-outbox.ts";

/** How many published events a record keeps, so that they can be published again. */
export const historyMax = 50;

/** When and in which trace something happened. */
export interface Cause {
  readonly now: Date;
  /** The id of a request that may be repeated: its effect is stored once under this id. */
  readonly operationid?: string | undefined;
  /** Defaults to the trace of the current work. */
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

/** The state of a record's events, without the events. */
export interface EventState extends StoredPosition, ReconciledFields {
  /** The sequence number of the newest event. */
  readonly seq: number;
  /**
   * Events up to this sequence number are published for certain. Later ones may be published too:
   * the watermark of their publisher says so.
   */
  readonly published: number;
}

/** The fields by which a record carries its own events; both are saved in one write. */
export interface EventFields extends EventState {
  readonly events: readonly StoredEvent[];
}

/** The state of a record that has never had an event. */
export const noEvents = { seq: 0, published: 0 } as const;

/** For reads that do not publish: only the relay and a resend need the stored events. */
export const withoutEvents = { projection: { events: 0 } } as const;

/** The event fields of a record to insert. The position is needed if there are events. */
export function firstEvents(
  events: readonly NewEvent[],
  cause: Cause,
  position: OutboxPosition | undefined,
): EventFields {
  return {
    seq: events.length,
    published: 0,
    ...(position && storedPosition(position)),
    events: numberEvents(events, 0, cause),
    ...scheduleReconciliation(events, cause.now),
  };
}

/** Events that a write adds to the outbox. */
export interface Publication {
  readonly position: OutboxPosition;
  /** Whether all earlier events of the record are published. */
  readonly isEarlierPublished: boolean;
}

/** The parts of an update that append events. */
export interface EventUpdate {
  readonly set: Document;
  readonly push: Document;
  readonly added: readonly StoredEvent[];
}

/** For an update on the condition that the record is still as `before`. */
export function appendEvents(
  before: EventState,
  events: readonly NewEvent[],
  cause: Cause,
  publication: Publication | undefined,
): EventUpdate {
  if (!publication) return { set: {}, push: {}, added: [] };
  const { position, isEarlierPublished } = publication;
  const seq = before.seq + events.length;
  const unpublished = isEarlierPublished ? events.length : seq - before.published;
  const added = numberEvents(events, before.seq, cause);
  return {
    set: {
      seq,
      ...storedPosition(position),
      // If earlier events may be unpublished, a relay may be about to raise this field.
      ...(isEarlierPublished && { published: before.seq }),
      ...scheduleReconciliation(events, cause.now, reconciliationOf(before)),
    },
    push: { events: { $each: added, $slice: -Math.max(historyMax, unpublished) } },
    added,
  };
}

function numberEvents(events: readonly NewEvent[], after: number, cause: Cause): StoredEvent[] {
  const traceparent = cause.traceparent ?? currentTrace();
  return events.map(({ type, data, inside }, index) => ({
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
    // The record of a business is the business itself.
    businessid: String(document.businessid ?? document._id),
    recordid: String(document._id),
    at: event.at.toISOString(),
    data: event.data,
    inside: event.inside,
    ...(event.traceparent !== undefined && { traceparent: event.traceparent }),
  };
}
