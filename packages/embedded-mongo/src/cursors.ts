import { randomBytes } from "node:crypto";
import type { Buffer } from "node:buffer";
import type { Deadline } from "./deadline.ts";
import { MongoError } from "./errors.ts";
import { limits } from "./limits.ts";

/** A lazy stream of documents. */
export type DocumentStream = {
  next(): Buffer | undefined;
  /** Bytes of documents held in memory; absent if the stream reads from the store. */
  heldBytes?(): number;
  /** Releases what is open in the store. The following `next` continues at the same position. */
  pause(): void;
};

export type Cursor = {
  readonly id: bigint;
  readonly namespace: string;
  readonly stream: DocumentStream;
  /** The session that opened the cursor, and its transaction, if any. */
  readonly session: string | undefined;
  readonly transaction: bigint | undefined;
  readonly deadline: Deadline;
  /** `noCursorTimeout`: the cursor lives as long as its session. */
  readonly hasNoTimeout: boolean;
  /** A document that was read but did not fit in the last batch. */
  readAhead: Buffer | undefined;
  usedAt: number;
};

export type Batch = { readonly documents: readonly Buffer[]; readonly exhausted: boolean };

/** The open cursors of all clients. */
export class Cursors {
  private readonly open = new Map<bigint, Cursor>();

  get count(): number {
    return this.open.size;
  }

  add(cursor: Omit<Cursor, "id" | "usedAt">): Cursor {
    if (this.open.size >= limits.cursorsMax) {
      throw new MongoError("OperationFailed", `more than ${limits.cursorsMax} open cursors`);
    }
    const bytes = cursor.stream.heldBytes?.() ?? 0;
    if (bytes > 0 && bytes + this.heldBytes() > limits.cursorBytesMax) {
      throw new MongoError(
        "QueryExceededMemoryLimitNoDiskUseAllowed",
        `open cursors hold more than ${limits.cursorBytesMax} bytes of sorted documents`,
      );
    }
    const added = { ...cursor, id: this.freshId(), usedAt: Date.now() };
    this.open.set(added.id, added);
    return added;
  }

  private heldBytes(): number {
    let bytes = 0;
    for (const { stream } of this.open.values()) bytes += stream.heldBytes?.() ?? 0;
    return bytes;
  }

  find(id: bigint, namespace: string): Cursor {
    const cursor = this.open.get(id);
    if (cursor === undefined) throw new MongoError("CursorNotFound", `cursor id ${id} not found`);
    if (cursor.namespace !== namespace) {
      throw new MongoError(
        "Unauthorized",
        `Requested getMore on namespace '${namespace}', but cursor belongs to a different namespace ${cursor.namespace}`,
      );
    }
    cursor.usedAt = Date.now();
    return cursor;
  }

  close(id: bigint): boolean {
    return this.open.delete(id);
  }

  closeIdleSince(time: number, noTimeoutTime: number): void {
    this.closeWhere(({ usedAt, hasNoTimeout }) => usedAt < (hasNoTimeout ? noTimeoutTime : time));
  }

  closeWhere(matches: (cursor: Cursor) => boolean): void {
    for (const cursor of this.open.values()) if (matches(cursor)) this.open.delete(cursor.id);
  }

  private freshId(): bigint {
    for (;;) {
      const id = randomBytes(8).readBigInt64LE() & 0x7fffffffffffffffn;
      if (id !== 0n && !this.open.has(id)) return id;
    }
  }
}

/** Takes at most `count` documents, limited to the size of one reply. */
export function takeBatch(
  stream: DocumentStream,
  count: number,
  readAhead?: Buffer,
): Batch & { readAhead: Buffer | undefined } {
  const documents: Buffer[] = [];
  let bytes = 0;
  let next = readAhead;
  while (documents.length < count) {
    next ??= stream.next();
    if (next === undefined) return { documents, exhausted: true, readAhead: undefined };
    if (documents.length > 0 && bytes + next.length > limits.documentBytesMax) break;
    documents.push(next);
    bytes += next.length;
    next = undefined;
  }
  // Read one document ahead. Otherwise the client would send another getMore for an empty batch.
  next ??= stream.next();
  stream.pause();
  return { documents, exhausted: next === undefined, readAhead: next };
}
