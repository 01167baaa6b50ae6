import { setTimeout as sleep } from "node:timers/promises";
import { type Db, MongoClient, MongoError } from "mongodb";
import { describeError, type Log } from "../logging/index.ts";
import type { Metrics } from "../metrics/index.ts";

export interface Store {
  readonly db: Db;
  /** True while no server takes writes: callers answer at once instead of waiting for one. */
  isAway(): boolean;
  /** Resolves when the store answers again, or when the signal is aborted. */
  untilBack(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** The driver's own retry repairs a cut connection within this time. */
const repairMs = 1_000;

const clientOptions = {
  writeConcern: { w: "majority", journal: true, wtimeoutMS: 5_000 },
  readConcern: { level: "majority" },
  retryWrites: true,
  retryReads: true,
  ignoreUndefined: true,
  maxPoolSize: 50,
  connectTimeoutMS: 3_000,
  socketTimeoutMS: 10_000,
  serverSelectionTimeoutMS: 2_500,
  heartbeatFrequencyMS: 2_000,
} as const;

export async function connectMongo(
  uri: string,
  database: string,
  log: Log,
  metrics: Metrics,
  signal: AbortSignal,
): Promise<Store> {
  const client = await connectFirst(uri, log, signal);
  let awaySinceMs: number | undefined;
  client.on("topologyDescriptionChanged", ({ newDescription }) => {
    const away = ![...newDescription.servers.values()].some((server) => server.isWritable);
    if (away === (awaySinceMs !== undefined)) return;
    awaySinceMs = away ? performance.now() : undefined;
    metrics.storeAway.value = away ? 1 : 0;
    log[away ? "warn" : "info"]({ away }, away ? "store away" : "store back");
  });
  const db = client.db(database);
  await refuseStandalone(db);
  return {
    db,
    isAway: () => awaySinceMs !== undefined && performance.now() - awaySinceMs > repairMs,
    untilBack: async (stop) => {
      while (!stop.aborted && !(await isAnswering(db))) {
        await sleep(250, undefined, { signal: stop }).catch(() => {});
      }
    },
    close: () => client.close(),
  };
}

/** Waits for a store that is not up yet. A store that refuses our credentials is an error at once. */
async function connectFirst(uri: string, log: Log, signal: AbortSignal): Promise<MongoClient> {
  for (;;) {
    signal.throwIfAborted();
    // The driver cannot reuse a client whose first connection failed.
    const client = new MongoClient(uri, clientOptions);
    try {
      await client.connect();
      await client.db("admin").command({ ping: 1 });
      return client;
    } catch (error) {
      await client.close();
      if (error instanceof MongoError && accessRefusedCodes.has(error.code)) throw error;
      log.warn({ problem: describeError(error).message }, "waiting for the store");
      await sleep(startRetryMs, undefined, { signal }).catch(() => {});
    }
  }
}

async function isAnswering(db: Db): Promise<boolean> {
  try {
    await db.command({ ping: 1 });
    return true;
  } catch {
    return false;
  }
}

/** Unauthorized, AuthenticationFailed and AtlasError. */
const accessRefusedCodes = new Set<unknown>([13, 18, 8_000]);
const startRetryMs = 1_000;

/** A standalone server neither retries writes nor survives the loss of its disk. */
async function refuseStandalone(db: Db) {
  const hello = await db.command({ hello: 1 });
  if (!hello["setName"] && hello["msg"] !== "isdbgrid") {
    throw new Error("MONGODB_URI names a standalone server; Malipo needs a replica set");
  }
}
