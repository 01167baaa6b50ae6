import { type Document, ObjectId } from "mongodb";
import { togetherEachTurn } from "../batching/index.ts";
import { type EventfulCollection, withoutEvents } from "../outbox/index.ts";

const batchMax = 100;

interface RecordKey {
  readonly businessid: string;
  readonly id: string;
}

/**
 * Finds single records by business and id. Searches of the same event-loop turn share one query,
 * which costs a tenth of single queries.
 */
export function findBatched(collection: EventfulCollection) {
  const find = togetherEachTurn<RecordKey, Document | null>(batchMax, async (keys) => {
    const filter = { _id: anyOf(keys, "id"), businessid: anyOf(keys, "businessid") };
    const documents = await collection.find(filter, withoutEvents).toArray();
    // The query finds any of the ids in any of the businesses; the pair is checked here.
    const byId = new Map(documents.map((document) => [String(document._id), document]));
    return keys.map(({ businessid, id }) => {
      const found = byId.get(id);
      return found && String(found.businessid) === businessid ? found : null;
    });
  });
  return (businessid: string, id: string): Promise<Document | null> =>
    find({ businessid, id: id.toLowerCase() });
}

function anyOf(keys: readonly RecordKey[], field: keyof RecordKey) {
  return { $in: [...new Set(keys.map((key) => key[field]))].map((id) => new ObjectId(id)) };
}
