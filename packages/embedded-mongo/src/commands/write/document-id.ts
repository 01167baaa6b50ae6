import { Buffer } from "node:buffer";
import { ObjectId } from "bson";
import { FieldNames } from "../../bson/field-names.ts";
import { bsonType, bsonTypeName, ElementCursor } from "../../bson/raw-document.ts";
import type { RawValue } from "../../bson/raw-document.ts";
import { MongoError } from "../../errors.ts";
import { limits } from "../../limits.ts";

const idField = new FieldNames(["_id"]);

/**
 * Returns the document with `_id` as its first field, and adds an `_id` if it has none. Refuses
 * invalid ids and documents that are too large.
 */
export function ensureIdFirst(document: Buffer): Buffer {
  checkSize(document.length);
  const cursor = new ElementCursor(document);
  let first = true;
  while (cursor.next()) {
    if (idField.matchAt(cursor) !== undefined) {
      checkId(cursor.value);
      return first ? document : moveIdFirst(document, cursor.nameStart - 1, cursor.end);
    }
    first = false;
  }
  const id = Buffer.from([0x07, 0x5f, 0x69, 0x64, 0x00, ...new ObjectId().id]);
  const sized = Buffer.concat([document.subarray(0, 4), id, document.subarray(4)]);
  sized.writeInt32LE(sized.length, 0);
  return sized;
}

function checkId(value: RawValue): void {
  const { type } = value;
  if (type === bsonType.array || type === bsonType.regex) {
    throw new MongoError("BadValue", `The '_id' value cannot be of type ${bsonTypeName[type]}`);
  }
  if (type !== bsonType.object) return;
  const fields = new ElementCursor(value.bytes, value.start, value.end);
  while (fields.next()) {
    if (fields.name.startsWith("$")) {
      throw new MongoError(
        "DollarPrefixedFieldName",
        `_id fields may not contain '$'-prefixed fields: ${fields.name} is not valid for storage.`,
      );
    }
  }
}

function moveIdFirst(document: Buffer, start: number, end: number): Buffer {
  return Buffer.concat([
    document.subarray(0, 4),
    document.subarray(start, end),
    document.subarray(4, start),
    document.subarray(end),
  ]);
}

function checkSize(bytes: number): void {
  if (bytes > limits.documentBytesMax) {
    throw new MongoError(
      "BSONObjectTooLarge",
      `object to insert too large. size in bytes: ${bytes}, max size: ${limits.documentBytesMax}`,
    );
  }
}
