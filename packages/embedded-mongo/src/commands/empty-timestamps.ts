import { Buffer } from "node:buffer";
import { bsonType, ElementCursor } from "../bson/raw-document.ts";
import { timestampAt } from "../semantics/index.ts";

/** How the value of an empty timestamp ends its name and goes on. */
const nineZeros = Buffer.alloc(9);

/** Empty timestamps at the top, other than `_id`, become the time of the server. */
export function withTimestamps(document: Buffer, now: Date): Buffer {
  // The first is quickly said of most documents.
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
