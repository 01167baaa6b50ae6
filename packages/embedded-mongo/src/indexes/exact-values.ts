import { bsonType } from "../bson/raw-document.ts";
import type { RawValue } from "../bson/raw-document.ts";

/**
 * Types whose values compare the same in filters and in keys. Their keys decide a filter exactly.
 */
const exactTypes: ReadonlySet<number> = new Set([
  bsonType.double,
  bsonType.string,
  bsonType.binary,
  bsonType.objectId,
  bsonType.boolean,
  bsonType.date,
  bsonType.int32,
  bsonType.int64,
  bsonType.decimal128,
]);

export function isExact(value: RawValue): boolean {
  return exactTypes.has(value.type);
}

export function isNaNValue(value: RawValue): boolean {
  if (value.type === bsonType.double) return Number.isNaN(value.bytes.readDoubleLE(value.start));
  return value.type === bsonType.decimal128;
}
