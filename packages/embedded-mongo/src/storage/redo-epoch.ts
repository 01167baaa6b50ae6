import type { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";

/**
 * From one commit of SQLite to the next: a number, which tells which of two files the redo log is
 * in, and random bytes, which nothing that a client stores can contain by design.
 */
export type Epoch = Buffer;

export const epochBytes = 16;

export function epochAfter(last: Epoch | undefined): Epoch {
  const epoch = randomBytes(epochBytes);
  epoch.writeUInt32LE(last === undefined ? 0 : (last.readUInt32LE(0) + 1) % 2 ** 32, 0);
  return epoch;
}

/** Two epochs that follow each other are in different files. */
export function fileOf(epoch: Epoch): 0 | 1 {
  return epoch.readUInt32LE(0) % 2 === 0 ? 0 : 1;
}
