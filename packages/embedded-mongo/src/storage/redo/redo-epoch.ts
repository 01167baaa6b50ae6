import type { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";

/**
 * Identifies the time between two commits of SQLite. An epoch is a counter, which selects one of
 * the two redo files, followed by random bytes, which a client cannot store on purpose.
 */
export type Epoch = Buffer;

export const epochBytes = 16;

export function nextEpoch(last: Epoch | undefined): Epoch {
  const epoch = randomBytes(epochBytes);
  epoch.writeUInt32LE(last === undefined ? 0 : (last.readUInt32LE(0) + 1) % 2 ** 32, 0);
  return epoch;
}

/** Consecutive epochs use different files. */
export function fileIndexOf(epoch: Epoch): 0 | 1 {
  return epoch.readUInt32LE(0) % 2 === 0 ? 0 : 1;
}
