import { type AnyBulkWriteOperation, type Document, ObjectId } from "mongodb";
import {
  type Append,
  appendEvents,
  type Cause,
  type EventfulCollection,
  type EventfulDocument,
} from "../outbox/event-document.ts";
import { operationPush } from "./operations.ts";
import type { Change, Entity, Saved } from "./records.ts";
import type { Relay } from "../outbox/relay.ts";
import { type BegunTelling, beginTellings, written } from "../outbox/publication.ts";

/** A record as it was read, what is to become of it, and by what. */
export interface Changed<E extends Entity> {
  readonly before: Saved<E>;
  readonly change: Change<E>;
  readonly cause: Cause;
}

/** Many records in one write, each on the condition that it is still as it was read. */
export function saveManyIn<E extends Entity>(
  collection: EventfulCollection,
  relay: Relay,
  changedOf: (before: E, after: E) => Document,
) {
  /** The ids of those that somebody else changed meanwhile: they were not saved. */
  return async (changes: readonly Changed<E>[]): Promise<ReadonlySet<string>> => {
    if (changes.length === 0) return new Set();
    const news = changes.map(({ before, change }) => ({
      current: before.events,
      news: change.events,
    }));
    const tellings = await beginTellings(relay.tickets, news);
    return written(relay.tickets, tellings, async () => {
      const appends = changes.map(({ before, change, cause }, index) =>
        appendEvents(before.events, change.events, cause, tellings[index]),
      );
      const writes = changes.map((each, index) => writeOf(each, appends[index], changedOf));
      const { matchedCount } = await collection.bulkWrite(writes, { ordered: false });
      const isPlain = tellings.every((telling) => telling === undefined || telling.isTold);
      if (matchedCount < changes.length || !isPlain) {
        return handOverSaved(collection, relay, { changes, tellings, appends });
      }
      changes.forEach(({ before }, index) => {
        const append = appends[index];
        if (append?.push["events"]) relay.hand(collection, writtenBy(before, append));
      });
      return new Set();
    });
  };
}

function writeOf<E extends Entity>(
  { before, change, cause }: Changed<E>,
  append: Append | undefined,
  changedOf: (before: E, after: E) => Document,
): AnyBulkWriteOperation<EventfulDocument> {
  return {
    updateOne: {
      filter: { _id: new ObjectId(before.entity.id), version: before.version },
      update: {
        $set: {
          ...changedOf(before.entity, change.entity),
          ...append?.set,
          version: before.version + 1,
        },
        $push: { ...append?.push, ...operationPush(cause) },
      },
    },
  };
}

/** What the relay needs of a document all of whose older events are published. */
function writtenBy<E extends Entity>(
  { entity }: Saved<E>,
  { set, push }: Append,
): EventfulDocument {
  return {
    _id: new ObjectId(entity.id),
    businessid: new ObjectId(entity.businessid),
    seq: set["seq"],
    published: set["published"],
    ticket: set["ticket"],
    events: push["events"].$each,
  };
}

/** Changes, and for each of them in its place what it was to tell. */
interface Tried<E extends Entity> {
  readonly changes: readonly Changed<E>[];
  readonly tellings: readonly (BegunTelling | undefined)[];
  readonly appends: readonly Append[];
}

/**
 * A bulk write does not say which of its conditions were not met. Only a record's own events prove that
 * it was saved; what proves nothing counts as not saved, and is decided again.
 */
async function handOverSaved<E extends Entity>(
  collection: EventfulCollection,
  relay: Relay,
  { changes, tellings, appends }: Tried<E>,
): Promise<ReadonlySet<string>> {
  const ids = changes.map(({ before }) => new ObjectId(before.entity.id));
  const documents = await collection.find({ _id: { $in: ids } }).toArray();
  const known = new Set(documents.flatMap(({ events }) => events.map(({ id }) => id)));
  const byTicket = new Map(documents.map((document) => [String(document.ticket), document]));
  for (const telling of tellings) {
    if (!telling) continue;
    const document = byTicket.get(String(telling.ticket));
    if (document) relay.hand(collection, document);
    else relay.tickets.leave(telling.ticket);
  }
  return new Set(
    changes
      .filter((_, index) => !known.has(appends[index]?.push["events"]?.$each[0]?.id))
      .map(({ before }) => before.entity.id),
  );
}
