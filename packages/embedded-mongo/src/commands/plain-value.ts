import { bsonType, ElementCursor, type RawValue } from "../bson/raw-document.ts";

/** Whatever is written of these again is written as it was. */
const plainTypes: ReadonlySet<number> = new Set([
  bsonType.string,
  bsonType.objectId,
  bsonType.boolean,
  bsonType.date,
  bsonType.null,
  bsonType.int32,
  bsonType.int64,
]);
const genericBinary = 0;
/** Far from where the nesting of a whole document has to be looked at. */
const depthMax = 20;

/** A value whose bytes can be stored without being looked at any further. */
export function isPlainValue(value: RawValue, depth = 0): boolean {
  const { bytes, type, start, end } = value;
  if (plainTypes.has(type)) return true;
  if (type === bsonType.binary) return bytes[start + 4] === genericBinary;
  // There are many that are not a number, and only one of them is written.
  if (type === bsonType.double) return !Number.isNaN(bytes.readDoubleLE(start));
  if (type !== bsonType.object && type !== bsonType.array) return false;
  if (depth === depthMax) return false;
  const inner = new ElementCursor(bytes, start, end);
  while (inner.next()) {
    if (!isPlainValue(inner.value, depth + 1)) return false;
  }
  return true;
}
