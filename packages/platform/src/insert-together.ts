import type { Collection, Document, OptionalUnlessRequiredId } from "mongodb";
import { duplicatesOf, isStoreAway } from "./mongo.ts";
import { inGroups } from "./turn.ts";

const batchMax = 100;

interface Insertion<Schema> {
  readonly document: Schema;
  readonly resolve: (isNew: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Inserts single documents; those that come together are one command, which costs a fraction. Answers
 * whether the document is new: false when a unique index held what it says already.
 */
export function insertTogether<Schema extends Document>(
  collection: Collection<Schema>,
): (document: OptionalUnlessRequiredId<Schema>) => Promise<boolean> {
  type Waiting = Insertion<OptionalUnlessRequiredId<Schema>>;

  async function insert(waiting: readonly Waiting[]): Promise<void> {
    const documents = waiting.map(({ document }) => document);
    try {
      const known = await duplicatesOf(() => collection.insertMany(documents, { ordered: false }));
      waiting.forEach(({ resolve }, index) => resolve(!known.has(index)));
    } catch (error) {
      // One that cannot be written at all must not take the others with it.
      if (waiting.length === 1 || isStoreAway(error)) {
        return waiting.forEach(({ reject }) => reject(error));
      }
      await Promise.all(waiting.map(async (one) => insert([one])));
    }
  }

  const ask = inGroups<Waiting>(batchMax, insert);
  return (document) =>
    new Promise((resolve, reject) => {
      ask({ document, resolve, reject });
    });
}
