import { bsonType, ElementCursor, type RawValue } from "../../../bson/raw-document.ts";

/** Types whose values keep their bytes when they are decoded and encoded again. */
const copyableTypes: ReadonlySet<number> = new Set([
  bsonType.string,
  bsonType.objectId,
  bsonType.boolean,
  bsonType.date,
  bsonType.null,
  bsonType.int32,
  bsonType.int64,
]);
const genericBinary = 0;
/** Low enough that the nesting limit of the whole document cannot be exceeded. */
const depthMax = 20;

/** Whether the bytes of a value can be stored without further checks. */
export function isCopyableValue(value: RawValue, depth = 0): boolean {
  const { bytes, type, start, end } = value;
  if (copyableTypes.has(type)) return true;
  if (type === bsonType.binary) return bytes[start + 4] === genericBinary;
  // NaN has many bit patterns, and only one of them may be stored.
  if (type === bsonType.double) return !Number.isNaN(bytes.readDoubleLE(start));
  if (type !== bsonType.object && type !== bsonType.array) return false;
  if (depth === depthMax) return false;
  const inner = new ElementCursor(bytes, start, end);
  while (inner.next()) {
    if (!isCopyableValue(inner.value, depth + 1)) return false;
  }
  return true;
}
