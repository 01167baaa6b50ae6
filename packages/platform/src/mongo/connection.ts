import { setTimeout as sleep } from "node:timers/promises";
import {
  type Db,
  MongoBulkWriteError,
  MongoClient,
  MongoError,
  MongoErrorLabel,
  MongoNetworkError,
  MongoServerSelectionError,
} from "mongodb";
import { describeError } from "../logging/index.ts";
import type { Log } from "../logging/index.ts";
import type { Metrics } from "../metrics/index.ts";

export interface Store {
  readonly db: Db;
  /** True while no server takes writes: answer at once instead of waiting for one. */
  isAway(): boolean;
  /** Resolves when the store answers again, or when the signal says to stop waiting. */
  untilBack(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** A cut connection is mended by the driver's own retry before anybody needs to hear of it. */
const blipMs = 1_000;

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
  const client = await firstConnection(uri, log, signal);
  let awaySince: number | undefined;
  client.on("topologyDescriptionChanged", ({ newDescription }) => {
    const away = ![...newDescription.servers.values()].some((server) => server.isWritable);
    if (away === (awaySince !== undefined)) return;
    awaySince = away ? performance.now() : undefined;
    metrics.storeAway.value = away ? 1 : 0;
    log[away ? "warn" : "info"]({ away }, away ? "store away" : "store back");
  });
  const db = client.db(database);
  await refuseStandalone(db);
  return {
    db,
    isAway: () => awaySince !== undefined && performance.now() - awaySince > blipMs,
    untilBack: async (stop) => {
      while (!stop.aborted && !(await answers(db))) {
        await sleep(250, undefined, { signal: stop }).catch(() => {});
      }
    },
    close: () => client.close(),
  };
}

/** Waits for a store that is not there yet, and says so; one that refuses us is a mistake of ours. */
async function firstConnection(uri: string, log: Log, signal: AbortSignal): Promise<MongoClient> {
  for (;;) {
    signal.throwIfAborted();
    // A client whose first connection failed is closed for good.
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

async function answers(db: Db): Promise<boolean> {
  try {
    await db.command({ ping: 1 });
    return true;
  } catch {
    return false;
  }
}

/** Unauthorized, AuthenticationFailed and Atlas's word for it. */
const accessRefusedCodes = new Set<unknown>([13, 18, 8_000]);
const startRetryMs = 1_000;

/** A standalone server neither retries writes nor survives its disk: never start on one. */
async function refuseStandalone(db: Db) {
  const hello = await db.command({ hello: 1 });
  if (!hello["setName"] && hello["msg"] !== "isdbgrid") {
    throw new Error("MONGODB_URI names a standalone server; Malipo needs a replica set");
  }
}

/** Network trouble, elections and unmet write concerns, by MongoDB's codes. */
const awayCodes = new Set<unknown>([
  6, 7, 50, 64, 89, 91, 100, 189, 262, 9_001, 10_107, 11_600, 11_602, 13_435, 13_436,
]);
const awayNames = new Set([
  "MongoWriteConcernError",
  "MongoNotConnectedError",
  "MongoPoolClearedError",
  "MongoPoolClearedOnNetworkError",
  "MongoTopologyClosedError",
]);

/** The driver passes on what it met when the other side had just closed the connection. */
const socketCodes = new Set<unknown>(["EPIPE", "ECONNRESET", "ERR_STREAM_DESTROYED"]);

/** The store did not answer or is moving house; whatever was asked may or may not have happened. */
export function isStoreAway(error: unknown): boolean {
  // A bulk write wraps what it met, and the wrapping has neither its class nor its labels.
  if (error instanceof MongoBulkWriteError && error.errorResponse instanceof Error) {
    if (isStoreAway(error.errorResponse)) return true;
  }
  if (error instanceof MongoNetworkError || error instanceof MongoServerSelectionError) return true;
  if (!(error instanceof MongoError)) return socketCodes.has((error as { code?: unknown })?.code);
  return (
    awayCodes.has(error.code) ||
    awayNames.has(error.name) ||
    error.hasErrorLabel(MongoErrorLabel.RetryableWriteError)
  );
}

/** The positions in a bulk write of what a unique index held already; whatever else goes wrong is thrown. */
export async function duplicatesOf(write: () => Promise<unknown>): Promise<ReadonlySet<number>> {
  try {
    await write();
    return new Set();
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError) || error.result.getWriteConcernError()) throw error;
    const errors = [error.writeErrors].flat();
    if (errors.length === 0 || errors.some(({ code }) => code !== duplicateKeyCode)) throw error;
    return new Set(errors.map(({ index }) => index));
  }
}

const duplicateKeyCode = 11_000;

export function isDuplicateKey(error: unknown): boolean {
  return error instanceof MongoError && error.code === duplicateKeyCode;
}
