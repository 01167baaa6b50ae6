import { type AnyBulkWriteOperation, type Document, ObjectId } from "mongodb";
import { appendEvents, type EventfulCollection, type EventfulDocument } from "./events.ts";
import { operationPush } from "./operations.ts";
import type { Cause } from "./events.ts";
import type { Change, Entity, Saved } from "./records.ts";
import type { Relay } from "./relay.ts";

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
    const appends = changes.map(({ before, change, cause }) =>
      appendEvents(before.events, change.events, cause),
    );
    const writes = changes.map(
      ({ before, change, cause }, index): AnyBulkWriteOperation<EventfulDocument> => ({
        updateOne: {
          filter: { _id: new ObjectId(before.entity.id), version: before.version },
          update: {
            $set: {
              ...changedOf(before.entity, change.entity),
              ...appends[index]?.set,
              version: before.version + 1,
            },
            $push: { ...appends[index]?.push, ...operationPush(cause) },
          },
        },
      }),
    );
    const { matchedCount } = await collection.bulkWrite(writes, { ordered: false });
    const isPlain = changes.every(({ before: { events } }) => events.seq === events.published);
    if (matchedCount === changes.length && isPlain) {
      changes.forEach(({ before }, index) => {
        const { set, push } = appends[index] ?? { set: {}, push: {} };
        if (push["events"]) relay.hand(collection, writtenBy(before, set, push));
      });
      return new Set();
    }
    const eventIds = appends.map(({ push }) => push["events"]?.$each[0]?.id as string | undefined);
    return handOverSaved(collection, relay, changes, eventIds);
  };
}

/** What the relay needs of a document all of whose older events are published. */
function writtenBy<E extends Entity>(
  { entity, events }: Saved<E>,
  set: Document,
  push: Document,
): EventfulDocument {
  return {
    _id: new ObjectId(entity.id),
    businessid: new ObjectId(entity.businessid),
    seq: set["seq"],
    published: events.published,
    events: push["events"].$each,
  };
}

/**
 * A bulk write does not say which of its conditions were not met. Only a record's own events prove that
 * it was saved; what proves nothing counts as not saved, and is decided again.
 */
async function handOverSaved<E extends Entity>(
  collection: EventfulCollection,
  relay: Relay,
  changes: readonly Changed<E>[],
  eventIds: readonly (string | undefined)[],
): Promise<ReadonlySet<string>> {
  const ids = changes.map(({ before }) => new ObjectId(before.entity.id));
  const documents = await collection.find({ _id: { $in: ids } }).toArray();
  const known = new Set(documents.flatMap(({ events }) => events.map(({ id }) => id)));
  for (const document of documents) relay.hand(collection, document);
  return new Set(
    changes
      .filter((_, index) => !known.has(eventIds[index] ?? ""))
      .map(({ before }) => before.entity.id),
  );
}
