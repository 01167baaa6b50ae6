import { Buffer } from "node:buffer";
import { joinElements, type FieldRewrite } from "../../../bson/part-of-document.ts";
import { bsonType, ElementCursor, type RawValue } from "../../../bson/raw-document.ts";
import { isCopyableValue } from "./copyable-value.ts";

type Appended = {
  readonly values: readonly RawValue[];
  /** The number of last elements to keep. */
  readonly keepLast: number;
};

/** `$push` of one value, or of `$each` with an optional `$slice` that keeps the last elements. */
export function compileRawPush(name: string, operand: RawValue): FieldRewrite | undefined {
  const appended = appendedBy(operand);
  if (appended === undefined || !appended.values.every((value) => isCopyableValue(value))) {
    return undefined;
  }
  const { values, keepLast } = appended;
  return (current) => {
    if (current === undefined) return arrayElement(name, numberElements(values.slice(-keepLast)));
    if (current.type !== bsonType.array) return undefined;
    const existing = valuesIn(current);
    const surplus = existing.length + values.length - keepLast;
    if (surplus > 0)
      return arrayElement(name, numberElements([...existing, ...values].slice(surplus)));
    const before = current.bytes.subarray(current.start + 4, current.end - 1);
    return arrayElement(name, [before, ...numberElements(values, existing.length)]);
  };
}

function appendedBy(operand: RawValue): Appended | undefined {
  const one = { values: [operand], keepLast: Infinity };
  if (operand.type !== bsonType.object) return one;
  const clauses = new Map<string, RawValue>();
  const cursor = new ElementCursor(operand.bytes, operand.start, operand.end);
  while (cursor.next()) clauses.set(cursor.name, cursor.value);
  const each = clauses.get("$each");
  if (each === undefined) return one;
  const slice = clauses.get("$slice");
  if (each.type !== bsonType.array || clauses.size > (slice ? 2 : 1)) return undefined;
  if (slice === undefined) return { values: valuesIn(each), keepLast: Infinity };
  const most = slice.type === bsonType.int32 ? slice.bytes.readInt32LE(slice.start) : 0;
  return most < 0 ? { values: valuesIn(each), keepLast: -most } : undefined;
}

function valuesIn(array: RawValue): RawValue[] {
  const values: RawValue[] = [];
  const cursor = new ElementCursor(array.bytes, array.start, array.end);
  while (cursor.next()) values.push(cursor.value);
  return values;
}

function numberElements(values: readonly RawValue[], from = 0): Buffer[] {
  return values.flatMap(({ bytes, type, start, end }, index) => [
    elementHead(type, String(from + index)),
    bytes.subarray(start, end),
  ]);
}

function arrayElement(name: string, elements: readonly Buffer[]): Buffer[] {
  return [elementHead(bsonType.array, name), joinElements(elements)];
}

function elementHead(type: number, name: string): Buffer {
  return Buffer.from(`${String.fromCharCode(type)}${name}\0`, "latin1");
}
