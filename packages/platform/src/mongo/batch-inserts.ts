import type { Collection, Document, OptionalUnlessRequiredId } from "mongodb";
import { together } from "./batch-commands.ts";
import { duplicatesOf } from "./store-errors.ts";

const sizeMax = 100;

/**
 * Inserts single documents; those inserted at the same time share one command, which costs a
 * fraction. Answers whether the document is new: false when a unique index already holds its key.
 */
export function insertTogether<Schema extends Document>(
  collection: Collection<Schema>,
): (document: OptionalUnlessRequiredId<Schema>) => Promise<boolean> {
  return together<OptionalUnlessRequiredId<Schema>, boolean>(sizeMax, async (documents) => {
    const duplicates = await duplicatesOf(async () => {
      // `insertMany` does the same after it has wrapped each document for it.
      const bulk = collection.initializeUnorderedBulkOp();
      for (const document of documents) bulk.insert(document);
      return bulk.execute();
    });
    return documents.map((_, index) => !duplicates.has(index));
  });
}
