import { Buffer } from "node:buffer";
import { crc32 } from "node:zlib";
import { limits } from "../../limits.ts";
import { bytesOf, writeChange } from "./redo-changes.ts";
import type { Change } from "./redo-changes.ts";
import { epochBytes } from "./redo-epoch.ts";
import type { Epoch } from "./redo-epoch.ts";

/**
 * Header in bytes: payload length 4, checksum of everything after it 4, epoch 16. The payload
 * follows.
 */
export const headerBytes = 8 + epochBytes;

const initialBytes = 256 * 1024;
const retainedBytesMax = 4 * 1024 * 1024;

export type RecordMark = { readonly end: number; readonly isTooLarge: boolean };

/** The changes of the open group, encoded for the redo log. */
export class RedoRecord {
  private bytes = Buffer.allocUnsafe(initialBytes);
  private end = headerBytes;
  private hasOverflowed = false;

  /** Copies the bytes: they are a slice of a message whose buffer is released soon. */
  add(change: Change): void {
    const end = this.end + bytesOf(change);
    if (this.hasOverflowed || end > limits.redoRecordBytesMax) {
      this.hasOverflowed = true;
      return;
    }
    if (end > this.bytes.length) this.grow(end);
    this.end = writeChange(this.bytes, this.end, change);
  }

  get isEmpty(): boolean {
    return this.end === headerBytes && !this.hasOverflowed;
  }

  /** The group exceeds the limit of a record. Only a commit of SQLite can make it durable. */
  get isTooLarge(): boolean {
    return this.hasOverflowed;
  }

  get mark(): RecordMark {
    return { end: this.end, isTooLarge: this.hasOverflowed };
  }

  truncateTo({ end, isTooLarge }: RecordMark): void {
    this.end = end;
    this.hasOverflowed = isTooLarge;
  }

  clear(): void {
    this.truncateTo({ end: headerBytes, isTooLarge: false });
    if (this.bytes.length > retainedBytesMax) this.bytes = Buffer.allocUnsafe(initialBytes);
  }

  /** Returns the complete record. The buffer is valid until the next change. */
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

/** The payload length in this header, or undefined if the header is not of the epoch. */
export function payloadBytesOf(header: Buffer, epoch: Epoch): number | undefined {
  if (header.length < headerBytes || !header.subarray(8).equals(epoch)) return undefined;
  return header.readUInt32LE(0);
}

export function isComplete(header: Buffer, payload: Buffer): boolean {
  if (payload.length !== header.readUInt32LE(0)) return false;
  return crc32(payload, crc32(header.subarray(8))) === header.readUInt32LE(4);
}
