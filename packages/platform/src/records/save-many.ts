import { type AnyBulkWriteOperation, type Document, ObjectId } from "mongodb";
import type {
  EventfulCollection,
  EventfulDocument,
  Outbox,
  OutboxUpdate,
} from "../outbox/index.ts";
import { type RecordChange, type Entity, operationPush } from "./entity.ts";

/**
 * Saves changes of many records in one command, each on the condition that the record still has the
 * version that was read. The result has the ids of the records that were not saved.
 */
export function saveManyIn<E extends Entity>(
  collection: EventfulCollection,
  outbox: Outbox,
  changedFieldsOf: (before: E, after: E) => Document,
) {
  return async (changes: readonly RecordChange<E>[]): Promise<ReadonlySet<string>> => {
    if (changes.length === 0) return new Set();
    let unsaved: ReadonlySet<string> = new Set();
    const appended = changes.map(({ before, change, cause }) => ({
      id: before.entity.id,
      businessid: before.entity.businessid,
      before: before.eventState,
      events: change.events,
      cause,
    }));
    await outbox.append(collection, appended, async (updates) => {
      const writes = changes.map((each, index) => writeOf(each, updates[index], changedFieldsOf));
      const { matchedCount } = await collection.bulkWrite(writes, { ordered: false });
      const known = updates.flatMap(({ publishable }) => publishable ?? []);
      const eventfulCount = changes.filter(({ change }) => change.events.length > 0).length;
      if (matchedCount === changes.length && known.length === eventfulCount) {
        return updates.map(({ publishable }) => publishable ?? "unknown");
      }
      // A bulk write does not say which conditions were not met, so the records are read.
      const byId = await findById(collection, changes);
      unsaved = unsavedIds(changes, updates, byId);
      return changes.map(({ before }) => byId.get(before.entity.id) ?? "unknown");
    });
    return unsaved;
  };
}

function writeOf<E extends Entity>(
  { before, change, cause }: RecordChange<E>,
  update: OutboxUpdate | undefined,
  changedFieldsOf: (before: E, after: E) => Document,
): AnyBulkWriteOperation<EventfulDocument> {
  return {
    updateOne: {
      filter: { _id: new ObjectId(before.entity.id), version: before.version },
      update: {
        $set: {
          ...changedFieldsOf(before.entity, change.entity),
          ...update?.set,
          version: before.version + 1,
        },
        $push: { ...update?.push, ...operationPush(cause) },
      },
    },
  };
}

async function findById<E extends Entity>(
  collection: EventfulCollection,
  changes: readonly RecordChange<E>[],
): Promise<ReadonlyMap<string, EventfulDocument>> {
  const ids = changes.map(({ before }) => new ObjectId(before.entity.id));
  const documents = await collection.find({ _id: { $in: ids } }).toArray();
  return new Map(documents.map((document) => [String(document._id), document]));
}

/**
 * Only the events of a change prove that it was saved. A change without events counts as not saved,
 * so the caller must be able to decide on it again.
 */
function unsavedIds<E extends Entity>(
  changes: readonly RecordChange<E>[],
  updates: readonly OutboxUpdate[],
  byId: ReadonlyMap<string, EventfulDocument>,
): ReadonlySet<string> {
  const unsaved = changes.filter(({ before }, index) => {
    const document = byId.get(before.entity.id);
    return !(document && updates[index]?.isIn(document));
  });
  return new Set(unsaved.map(({ before }) => before.entity.id));
}
