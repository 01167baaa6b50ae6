import { setTimeout as sleep } from "node:timers/promises";
import type { Collection, Db, Document, IndexDescription } from "mongodb";
import { describeError, type Log } from "../logging/index.ts";
import { isIndexConflict, isStoreAway } from "./store-errors.ts";

const retryMs = 250;

/** A log, and the signal to stop waiting: the part of a service that index creation needs. */
export interface StartContext {
  readonly log: Pick<Log, "warn">;
  readonly shutdown: { readonly signal: AbortSignal };
}

/** The indexes that this process has created, by the full name of their collection. */
const expectedIndexes = new Map<string, readonly IndexDescription[]>();

/** The expected indexes that the database no longer has, as `<collection>.<index>`. */
export async function missingIndexes(db: Db): Promise<string[]> {
  const ofThisDatabase = [...expectedIndexes].filter(([namespace]) =>
    namespace.startsWith(`${db.databaseName}.`),
  );
  const missing = ofThisDatabase.map(async ([namespace, indexes]) => {
    const name = namespace.slice(db.databaseName.length + 1);
    const found = new Set((await db.collection(name).indexes()).map((index) => index.name));
    return indexes.map(nameOf).flatMap((index) => (found.has(index) ? [] : [`${name}.${index}`]));
  });
  return (await Promise.all(missing)).flat();
}

/** The name that MongoDB gives to an index without one. */
function nameOf({ key, name }: IndexDescription): string {
  return name ?? Object.entries(key).flat().join("_");
}

/** Creates the indexes that are missing. While the store is away the service start waits for it. */
export async function ensureIndexes<Schema extends Document>(
  { log, shutdown }: StartContext,
  collection: Collection<Schema>,
  indexes: readonly IndexDescription[],
): Promise<void> {
  for (;;) {
    try {
      await collection.createIndexes([...indexes]);
      expectedIndexes.set(collection.namespace, indexes);
      return;
    } catch (error) {
      if (isIndexConflict(error)) throw indexConflict(collection.collectionName, error);
      if (!isStoreAway(error)) throw error;
      const problem = describeError(error).message;
      log.warn({ collection: collection.collectionName, problem }, "waiting for the store");
      await sleep(retryMs, undefined, { signal: shutdown.signal });
    }
  }
}

function indexConflict(collection: string, cause: Error): Error {
  const problem = `the indexes of ${collection} differ from those in the database`;
  const remedy = "add the changed index under a new name beside the old one";
  return new Error(`${problem}: ${remedy} (${cause.message})`, { cause });
}
