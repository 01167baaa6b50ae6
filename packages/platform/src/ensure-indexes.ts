import { setTimeout as sleep } from "node:timers/promises";
import type { Collection, Document, IndexDescription } from "mongodb";
import { describeError } from "./describe-error.ts";
import { isStoreAway } from "./mongo.ts";
import type { Log } from "./log.ts";
import type { Shutdown } from "./shutdown.ts";

const retryMs = 250;

/** What a start says while it waits, and how it learns that it need not go on. */
export interface Starting {
  readonly log: Pick<Log, "warn">;
  readonly shutdown: Pick<Shutdown, "signal">;
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
      return;
    } catch (error) {
      if (!isStoreAway(error)) throw error;
      const problem = describeError(error).message;
      log.warn({ collection: collection.collectionName, problem }, "waiting for the store");
      await sleep(retryMs, undefined, { signal: shutdown.signal });
    }
  }
}
