import { isDuplicateKey, VersionConflict } from "@malipo/platform";
import type { Collection, Filter, MatchKeysAndValues } from "mongodb";

interface Versioned {
  readonly _id: string;
  readonly version: number;
}

/**
 * Writes fields over the version that was read; 0 means that there was no document. Rejects with
 * `VersionConflict` when another writer was faster.
 */
export async function writeVersion<Document extends Versioned>(
  collection: Collection<Document>,
  { _id, version }: Versioned,
  fields: Omit<Document, keyof Versioned>,
): Promise<void> {
  const filter = { _id, version } as Filter<Document>;
  const $set = { ...fields, version: version + 1 } as MatchKeysAndValues<Document>;
  try {
    // No document has version 0. When another writer has inserted it, this upsert is a duplicate.
    const written = await collection.updateOne(filter, { $set }, { upsert: version === 0 });
    if (written.matchedCount + written.upsertedCount === 1) return;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
  throw new VersionConflict(_id);
}
