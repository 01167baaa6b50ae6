import {
  MongoBulkWriteError,
  MongoError,
  MongoErrorLabel,
  MongoNetworkError,
  MongoServerSelectionError,
} from "mongodb";

/** MongoDB's codes for network trouble, elections and unmet write concerns. */
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

/** The driver passes these on when the other side has just closed the connection. */
const socketCodes = new Set<unknown>(["EPIPE", "ECONNRESET", "ERR_STREAM_DESTROYED"]);

/**
 * True when the store did not answer or has no primary. The outcome is unknown: a write may or may
 * not have happened.
 */
export function isStoreAway(error: unknown): boolean {
  // A bulk write wraps the original error, and the wrapper has neither its class nor its labels.
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

const duplicateKeyCode = 11_000;

export function isDuplicateKey(error: unknown): boolean {
  return error instanceof MongoError && error.code === duplicateKeyCode;
}

/** MongoDB's codes for an index whose name or key another index has: IndexOptionsConflict, IndexKeySpecsConflict. */
const indexConflictCodes = new Set<unknown>([85, 86]);

export function isIndexConflict(error: unknown): error is MongoError {
  return error instanceof MongoError && indexConflictCodes.has(error.code);
}

/**
 * The positions of the documents in a bulk write that a unique index refused as duplicates. Any other
 * failure is thrown.
 */
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
