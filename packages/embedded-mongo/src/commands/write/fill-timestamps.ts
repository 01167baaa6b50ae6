import { Buffer } from "node:buffer";
import { bsonType, ElementCursor } from "../../bson/raw-document.ts";
import { timestampAt } from "../../semantics/index.ts";

/** The end of the field name and the eight zero bytes of an empty timestamp. */
const nineZeros = Buffer.alloc(9);

/** Sets empty top-level timestamps, except `_id`, to the server's time. */
export function fillEmptyTimestamps(document: Buffer, now: Date): Buffer {
  // This check is cheap and rules out most documents.
  if (!document.includes(bsonType.timestamp) || !document.includes(nineZeros)) return document;
  let changed: Buffer | undefined;
  const cursor = new ElementCursor(document);
  while (cursor.next()) {
    const { type, start } = cursor.value;
    if (type !== bsonType.timestamp || cursor.name === "_id") continue;
    if (document.readBigUInt64LE(start) !== 0n) continue;
    changed ??= Buffer.from(document);
    changed.writeBigUInt64LE(timestampAt(now).toBigInt(), start);
  }
  return changed ?? document;
}
