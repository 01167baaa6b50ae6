import type { Buffer } from "node:buffer";

/** One change of the store, as the redo log records it. */
export type Change =
  | {
      readonly kind: "insert" | "replace";
      readonly collection: number;
      readonly rid: number;
      readonly document: Buffer;
    }
  | { readonly kind: "remove"; readonly collection: number; readonly rid: number }
  | {
      readonly kind: "session";
      readonly session: Buffer;
      readonly number: bigint;
      readonly usedAt: number;
      readonly record: Buffer;
    };

const kinds = ["insert", "replace", "remove", "session"] as const;

/*
 * Layout in bytes:
 * - document: kind 1, collection 4, rid 6, and unless removed: length 4, document
 * - session: kind 1, number 8, usedAt 8, length 4, session id, length 4, record
 */
const documentBytes = 1 + 4 + 6;
const sessionBytes = 1 + 8 + 8;
const lengthBytes = 4;

export function bytesOf(change: Change): number {
  if (change.kind === "remove") return documentBytes;
  if (change.kind !== "session") return documentBytes + lengthBytes + change.document.length;
  return sessionBytes + 2 * lengthBytes + change.session.length + change.record.length;
}

/** Returns the position after the written change. */
export function writeChange(into: Buffer, start: number, change: Change): number {
  let at = into.writeUInt8(kinds.indexOf(change.kind), start);
  if (change.kind === "session") {
    at = into.writeBigInt64LE(change.number, at);
    at = into.writeDoubleLE(change.usedAt, at);
    return writeBytes(into, writeBytes(into, at, change.session), change.record);
  }
  at = into.writeUInt32LE(change.collection, at);
  at = into.writeUIntLE(change.rid, at, 6);
  return change.kind === "remove" ? at : writeBytes(into, at, change.document);
}

export function* changesOf(payload: Buffer): Generator<Change> {
  let at = 0;
  const bytes = (): Buffer => {
    const start = at + lengthBytes;
    at = start + payload.readUInt32LE(at);
    return payload.subarray(start, at);
  };
  while (at < payload.length) {
    const start = at;
    const kind = kinds[payload.readUInt8(start)];
    if (kind === undefined) throw new Error("the redo log has a change of an unknown kind");
    if (kind === "session") {
      at += sessionBytes;
      const number = payload.readBigInt64LE(start + 1);
      const usedAt = payload.readDoubleLE(start + 9);
      yield { kind, number, usedAt, session: bytes(), record: bytes() };
      continue;
    }
    at += documentBytes;
    const collection = payload.readUInt32LE(start + 1);
    const rid = payload.readUIntLE(start + 5, 6);
    if (kind === "remove") yield { kind, collection, rid };
    else yield { kind, collection, rid, document: bytes() };
  }
}

function writeBytes(into: Buffer, at: number, bytes: Buffer): number {
  into.writeUInt32LE(bytes.length, at);
  into.set(bytes, at + lengthBytes);
  return at + lengthBytes + bytes.length;
}
