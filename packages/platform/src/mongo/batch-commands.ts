import type { Collection, Document, OptionalUnlessRequiredId } from "mongodb";
import { type BatchedCall, type HandleBatch, batchCalls } from "../batching/index.ts";
import { duplicatesOf, isStoreAway } from "./store-errors.ts";

/**
 * Carries out single calls as one MongoDB command, see `batchCalls`. When a command fails because of
 * one of its items, each item is tried alone, so that only the faulty one is rejected.
 */
export function batchCommands<Item, Outcome>(
  sizeMax: number,
  handle: HandleBatch<Item, Outcome>,
): BatchedCall<Item, Outcome> {
  return batchCalls<Item, Outcome>(sizeMax, async (items) => {
    try {
      return await handle(items);
    } catch (error) {
      // After an unknown outcome a second try would meet the effects of the first.
      if (items.length === 1 || isStoreAway(error)) throw error;
      return Promise.all(items.map(async (item) => handleAlone(handle, item)));
    }
  });
}

async function handleAlone<Item, Outcome>(
  handle: HandleBatch<Item, Outcome>,
  item: Item,
): Promise<Outcome | Error> {
  try {
    const [outcome] = await handle([item]);
    return outcome as Outcome | Error;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

const sizeMax = 100;

/**
 * Inserts single documents; those inserted at the same time share one command, which costs a
 * fraction. Answers whether the document is new: false when a unique index already holds its key.
 */
export function batchInserts<Schema extends Document>(
  collection: Collection<Schema>,
): (document: OptionalUnlessRequiredId<Schema>) => Promise<boolean> {
  return batchCommands<OptionalUnlessRequiredId<Schema>, boolean>(sizeMax, async (documents) => {
    const duplicates = await duplicatesOf(async () => {
      // `insertMany` does the same after it has wrapped each document for it.
      const bulk = collection.initializeUnorderedBulkOp();
      for (const document of documents) bulk.insert(document);
      return bulk.execute();
    });
    return documents.map((_, index) => !duplicates.has(index));
  });
}
