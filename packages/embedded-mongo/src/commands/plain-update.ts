import type { Buffer } from "node:buffer";
import { FieldNames } from "../bson/field-names.ts";
import { documentOf, withPart } from "../bson/part-of-document.ts";
import { bsonType, ElementCursor } from "../bson/raw-document.ts";
import type { RawValue } from "../bson/raw-document.ts";

/** An update that sets top-level fields to single values, or removes them: bytes in place of bytes. */
export type PlainUpdate = {
  readonly changes: FieldNames;
  /** The changed document; undefined where one of the fields comes twice. */
  readonly apply: (document: Buffer) => Buffer | undefined;
};

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

/** Undefined for an update that is more than that, or wrong. */
export function plainUpdateOf(update: RawValue): PlainUpdate | undefined {
  if (update.type !== bsonType.object) return undefined;
  const names = new Set<string>();
  const set = new Map<string, Buffer>();
  const operators = new ElementCursor(update.bytes, update.start, update.end);
  while (operators.next()) {
    const operator = operators.name;
    if (operators.type !== bsonType.object) return undefined;
    if (operator !== "$set" && operator !== "$unset") return undefined;
    const operands = new ElementCursor(update.bytes, operators.start, operators.end);
    while (operands.next()) {
      const { name } = operands;
      if (names.has(name) || !isPlainName(name)) return undefined;
      names.add(name);
      if (operator === "$unset") continue;
      if (!isPlainValue(operands)) return undefined;
      set.set(name, update.bytes.subarray(operands.nameStart - 1, operands.end));
    }
  }
  if (names.size === 0) return undefined;
  // In the order in which an update adds fields.
  const elements = [...set].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const part = documentOf(elements.map(([, element]) => element));
  const changes = new FieldNames(names);
  return { changes, apply: (document) => withPart(document, changes, part) };
}

/** No path, no position in an array, and not the id. */
function isPlainName(name: string): boolean {
  return name !== "_id" && /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
}

function isPlainValue({ bytes, type, start }: ElementCursor): boolean {
  if (type === bsonType.binary) return bytes[start + 4] === genericBinary;
  return plainTypes.has(type);
}
