import { Buffer } from "node:buffer";
import { crc32 } from "node:zlib";
import { limits } from "../limits.ts";
import { bytesOf, writeChange } from "./redo-changes.ts";
import type { Change } from "./redo-changes.ts";
import { epochBytes } from "./redo-epoch.ts";
import type { Epoch } from "./redo-epoch.ts";

/** Length of the payload 4, checksum of all that follows 4, epoch 16; then the payload. */
export const headerBytes = 8 + epochBytes;

const usualBytes = 256 * 1024;
const keptBytesMax = 4 * 1024 * 1024;

export type RecordMark = { readonly end: number; readonly isTooLarge: boolean };

/** What the group that is gathered has changed so far, ready for the redo log. */
export class RedoRecord {
  private bytes = Buffer.allocUnsafe(usualBytes);
  private end = headerBytes;
  private overflowed = false;

  /** Copies the bytes: they belong to a message that is soon gone. */
  add(change: Change): void {
    const end = this.end + bytesOf(change);
    if (this.overflowed || end > limits.redoRecordBytesMax) {
      this.overflowed = true;
      return;
    }
    if (end > this.bytes.length) this.grow(end);
    this.end = writeChange(this.bytes, this.end, change);
  }

  get isEmpty(): boolean {
    return this.end === headerBytes && !this.overflowed;
  }

  /** More than a record may hold: only a commit of SQLite can keep the group. */
  get isTooLarge(): boolean {
    return this.overflowed;
  }

  get mark(): RecordMark {
    return { end: this.end, isTooLarge: this.overflowed };
  }

  backTo({ end, isTooLarge }: RecordMark): void {
    this.end = end;
    this.overflowed = isTooLarge;
  }

  clear(): void {
    this.backTo({ end: headerBytes, isTooLarge: false });
    if (this.bytes.length > keptBytesMax) this.bytes = Buffer.allocUnsafe(usualBytes);
  }

  /** The whole record, valid until the next change. */
  seal(epoch: Epoch): Buffer {
    const record = this.bytes.subarray(0, this.end);
    record.writeUInt32LE(this.end - headerBytes, 0);
    record.set(epoch, 8);
    record.writeUInt32LE(crc32(record.subarray(8)), 4);
    return record;
  }

  private grow(least: number): void {
    const larger = Buffer.allocUnsafe(Math.max(least, 2 * this.bytes.length));
    larger.set(this.bytes.subarray(0, this.end));
    this.bytes = larger;
  }
}

/** How long the payload is that this header announces, if it is one of the epoch. */
export function announcedBytes(header: Buffer, epoch: Epoch): number | undefined {
  if (header.length < headerBytes || !header.subarray(8).equals(epoch)) return undefined;
  return header.readUInt32LE(0);
}

export function isWhole(header: Buffer, payload: Buffer): boolean {
  if (payload.length !== header.readUInt32LE(0)) return false;
  return crc32(payload, crc32(header.subarray(8))) === header.readUInt32LE(4);
}
