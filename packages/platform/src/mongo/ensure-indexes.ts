import { setTimeout as sleep } from "node:timers/promises";
import type { Collection, Db, Document, IndexDescription } from "mongodb";
import { describeError } from "../logging/index.ts";
import { isStoreAway } from "./connection.ts";
import type { Log } from "../logging/index.ts";
import type { Shutdown } from "../service/shutdown.ts";

const retryMs = 250;

/** What a start says while it waits, and how it learns that it need not go on. */
export interface Starting {
  readonly log: Pick<Log, "warn">;
  readonly shutdown: Pick<Shutdown, "signal">;
}

/** What this process has created in its databases, by the collection's whole name. */
const expected = new Map<string, readonly IndexDescription[]>();

/** What somebody has dropped since, as collection and index. */
export async function missingIndexes(db: Db): Promise<string[]> {
  const ours = [...expected].filter(([namespace]) => namespace.startsWith(`${db.databaseName}.`));
  const missing = ours.map(async ([namespace, indexes]) => {
    const name = namespace.slice(db.databaseName.length + 1);
    const found = new Set((await db.collection(name).indexes()).map((index) => index.name));
    return indexes.map(nameOf).flatMap((index) => (found.has(index) ? [] : [`${name}.${index}`]));
  });
  return (await Promise.all(missing)).flat();
}

/** As MongoDB names an index that has no name of its own. */
function nameOf({ key, name }: IndexDescription): string {
  return name ?? Object.entries(key).flat().join("_");
}

/** Creates what is missing. A start waits for a store that is away, as it does for the first connection. */
export async function ensureIndexes<Schema extends Document>(
  { log, shutdown }: Starting,
  collection: Collection<Schema>,
  indexes: readonly IndexDescription[],
): Promise<void> {
  for (;;) {
    try {
      await collection.createIndexes([...indexes]);
      expected.set(collection.namespace, indexes);
      return;
    } catch (error) {
      if (!isStoreAway(error)) throw error;
      const problem = describeError(error).message;
      log.warn({ collection: collection.collectionName, problem }, "waiting for the store");
      await sleep(retryMs, undefined, { signal: shutdown.signal });
    }
  }
}
