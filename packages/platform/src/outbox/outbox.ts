import type { NewEvent } from "@malipo/contracts";
import type { Clock } from "@malipo/core";
import { type Db, ObjectId } from "mongodb";
import type { Log } from "../logging/index.ts";
import { isStoreAway } from "../mongo/index.ts";
import {
  appendEvents,
  type Cause,
  type EventFields,
  type EventfulCollection,
  type EventfulDocument,
  type EventState,
  type EventUpdate,
  firstEvents,
  type Publication,
  type StoredEvent,
} from "./event-document.ts";
import { samePosition } from "./outbox-position.ts";
import type { PublishOptions } from "./publish-events.ts";
import type { Publisher } from "./publisher.ts";
import { openPublishers, type Publishers } from "./publishers.ts";
import { createRelay, type Relay } from "./relay.ts";
import { positionOf } from "./stored-outbox.ts";
import { runSweep } from "./sweep.ts";

/** New events of one record, and their cause. */
interface NewEvents {
  readonly events: readonly NewEvent[];
  readonly cause: Cause;
}

/** New events for a record that exists. */
interface AppendedEvents extends NewEvents {
  readonly id: string;
  readonly businessid: string;
  readonly before: EventState;
}

/** The event part of an update, and what the relay needs if the update succeeds. */
export interface OutboxUpdate extends Pick<EventUpdate, "set" | "push"> {
  /** True for the record as it is after this update, or after a later one. */
  isIn(document: EventfulDocument): boolean;
  /** The record after the update, as far as publishing needs it. Undefined if it must be read. */
  readonly publishable: EventfulDocument | undefined;
}

/** The result of a write: the record with its events, or why there is none to publish. */
type WriteOutcome = EventfulDocument | "not written" | "unknown";

/**
 * Stores events with the records that cause them, and publishes them. A record's events are part of
 * the record's own write; the outbox adds them to that write and learns what became of it.
 */
export interface Outbox {
  /** Inserts records with their first events. */
  insert(
    collection: EventfulCollection,
    records: readonly NewEvents[],
    write: (fields: readonly EventFields[]) => Promise<readonly WriteOutcome[]>,
  ): Promise<readonly WriteOutcome[]>;
  /** Updates records and appends events to them. */
  append(
    collection: EventfulCollection,
    records: readonly AppendedEvents[],
    write: (updates: readonly OutboxUpdate[]) => Promise<readonly WriteOutcome[]>,
  ): Promise<readonly WriteOutcome[]>;
  /** Publishes events again that may have been published. */
  republish(document: EventfulDocument, events: readonly StoredEvent[]): Promise<void>;
  /** Publishes a record that a crash may have left unpublished. */
  publishIfPending(collection: EventfulCollection, document: EventfulDocument): Promise<void>;
  /** For producers of many records: resolves when few of them wait for publication. */
  waitForRoom(): Promise<void>;
  /** Resolves when publication of all records saved before has been tried. */
  flush(): Promise<void>;
  /** Publishes what crashes left in these collections, until the signal is aborted. */
  sweep(collections: readonly EventfulCollection[], signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

const uptimeMs = () => performance.now();

export interface OutboxOptions extends PublishOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
}

export function openOutbox({ db, ...options }: OutboxOptions): Outbox {
  const { clock, log, metrics } = options;
  const publishers = openPublishers(db, { clock, log, uptimeMs });
  const relay = createRelay({ ...options, publishers });
  return {
    insert: async (collection, records, write) => {
      const reserved = await reserve(
        publishers,
        records.map(({ events }) => ({ events, before: {} })),
      );
      return commit({ collection, publishers, relay }, reserved, () =>
        write(
          records.map(({ events, cause }, index) =>
            firstEvents(events, cause, reserved[index]?.position),
          ),
        ),
      );
    },
    append: async (collection, records, write) => {
      const reserved = await reserve(publishers, records);
      return commit({ collection, publishers, relay }, reserved, () =>
        write(records.map((record, index) => updateOf(record, reserved[index]))),
      );
    },
    republish: async (document, events) => relay.republish(document, events),
    publishIfPending: async (collection, document) => {
      if (!(await publishers.isPublished(positionOf(document)))) {
        relay.enqueue(collection, document);
      }
    },
    waitForRoom: () => relay.waitForRoom(),
    flush: () => relay.flush(),
    sweep: async (collections, signal) => {
      await runSweep(collections, { relay, publishers, metrics, clock, uptimeMs, log }, signal);
    },
    close: () => publishers.close(),
  };
}

interface Reservation extends Publication {
  readonly publisher: Publisher;
}

/** One reservation for each write, undefined for a write without events. */
async function reserve(
  publishers: Publishers,
  writes: readonly {
    readonly events: readonly NewEvent[];
    readonly before: Partial<EventState>;
  }[],
): Promise<readonly (Reservation | undefined)[]> {
  if (writes.every(({ events }) => events.length === 0)) return writes.map(() => undefined);
  const areEarlierPublished = await Promise.all(
    writes.map(
      async ({ before, events }) => events.length > 0 && publishers.isPublished(positionOf(before)),
    ),
  );
  const publisher = await publishers.open();
  // No step between here and `commit` may fail: a reserved position that is never completed stops
  // the watermark.
  return writes.map(({ events }, index) => {
    if (events.length === 0) return undefined;
    const isEarlierPublished = areEarlierPublished[index] ?? false;
    return { position: publisher.reserve(), publisher, isEarlierPublished };
  });
}

interface CommitOptions {
  readonly collection: EventfulCollection;
  readonly publishers: Publishers;
  readonly relay: Relay;
}

/** Runs the write, then publishes the events of the records that were written. */
async function commit(
  { collection, publishers, relay }: CommitOptions,
  reservations: readonly (Reservation | undefined)[],
  write: () => Promise<readonly WriteOutcome[]>,
): Promise<readonly WriteOutcome[]> {
  try {
    const outcomes = await write();
    reservations.forEach((reservation, index) => {
      const outcome = outcomes[index] ?? "unknown";
      if (!reservation) return;
      const { position } = reservation;
      if (outcome === "not written") publishers.complete(position);
      else if (outcome === "unknown") publishers.deferToSweep(position);
      else if (samePosition(positionOf(outcome), position)) relay.enqueue(collection, outcome);
      // The record has been saved again: that save publishes the events of this one.
      else publishers.deferToSweep(position);
    });
    return outcomes;
  } catch (error) {
    for (const reservation of reservations) {
      if (!reservation) continue;
      // After an unknown outcome the write may still reach the database, at any time.
      if (isStoreAway(error)) publishers.abandon(reservation.publisher);
      else publishers.deferToSweep(reservation.position);
    }
    throw error;
  }
}

function updateOf(
  { id, businessid, before, events, cause }: AppendedEvents,
  publication: Publication | undefined,
): OutboxUpdate {
  const { set, push, added } = appendEvents(before, events, cause, publication);
  const [first] = added;
  const publishable = {
    ...(set as EventState),
    _id: new ObjectId(id),
    businessid: new ObjectId(businessid),
    events: added,
  };
  return {
    set,
    push,
    isIn: (document) =>
      first !== undefined && document.events.some((event) => event.id === first.id),
    publishable: publication?.isEarlierPublished ? publishable : undefined,
  };
}
