import type { Collection, Document, OptionalUnlessRequiredId } from "mongodb";
import { duplicatesOf } from "../mongo/connection.ts";
import { together } from "../batching/together.ts";

const batchMax = 100;

/**
 * Inserts single documents; those that come together are one command, which costs a fraction. Answers
 * whether the document is new: false when a unique index held what it says already.
 */
export function insertTogether<Schema extends Document>(
  collection: Collection<Schema>,
): (document: OptionalUnlessRequiredId<Schema>) => Promise<boolean> {
  return together<OptionalUnlessRequiredId<Schema>, boolean>(batchMax, async (documents) => {
    const known = await duplicatesOf(async () => {
      // What insertMany does too, after it has wrapped each document for it.
      const bulk = collection.initializeUnorderedBulkOp();
      for (const document of documents) bulk.insert(document);
      return bulk.execute();
    });
    return documents.map((_, index) => !known.has(index));
  });
}
