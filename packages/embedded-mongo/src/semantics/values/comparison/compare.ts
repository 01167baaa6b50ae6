import type { Binary, Code, ObjectId, Timestamp } from "bson";
import { type Document, fieldName } from "../document.ts";
import { compareExact, exactOf } from "../numbers/decimal.ts";
import { type BsonNumber, plainNumber } from "../numbers/numbers.ts";
import { typeOrder } from "../types.ts";

/**
 * MongoDB's total order over all BSON values. Numbers compare by mathematical value across their
 * types (NaN lowest, −0 = 0), strings by their UTF-8 bytes, documents field by field (type, name,
 * value), arrays element by element. `undefined` stands for a missing value, below null.
 */
export function compareBson(a: unknown, b: unknown): number {
  if (a === b) return 0;
  if (typeof a === "string" && typeof b === "string") return compareStrings(a, b);
  const order = typeOrder(a);
  const otherOrder = typeOrder(b);
  if (order !== otherOrder) return order < otherOrder ? -1 : 1;
  return compareSameOrder(order, a, b);
}

export function equalBson(a: unknown, b: unknown): boolean {
  return a === b || compareBson(a, b) === 0;
}

function compareSameOrder(order: number, a: unknown, b: unknown): number {
  switch (order) {
    case 10:
      return compareNumbers(a as BsonNumber, b as BsonNumber);
    case 15:
      return compareStrings(String(a), String(b));
    case 20:
      return compareDocuments(a as Document, b as Document);
    case 25:
      return compareArrays(a as unknown[], b as unknown[]);
    case 30:
      return compareBinary(a as Binary, b as Binary);
    case 35:
      return Buffer.compare((a as ObjectId).id, (b as ObjectId).id);
    case 40:
      return a === false ? -1 : 1;
    case 45:
      return compareOrdered((a as Date).getTime(), (b as Date).getTime());
    case 47:
      return compareOrdered(timestampBits(a as Timestamp), timestampBits(b as Timestamp));
    case 50:
      return compareRegexes(a, b);
    case 60:
      return compareStrings((a as Code).code, (b as Code).code);
    case 65:
      return (
        compareStrings((a as Code).code, (b as Code).code) ||
        compareDocuments((a as Code).scope ?? {}, (b as Code).scope ?? {})
      );
    default:
      return 0;
  }
}

function compareOrdered<T extends number | bigint>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function timestampBits(value: Timestamp): bigint {
  return (BigInt(value.getHighBitsUnsigned()) << 32n) | BigInt(value.getLowBitsUnsigned());
}

export function compareNumbers(a: BsonNumber, b: BsonNumber): number {
  const left = plainNumber(a);
  const right = plainNumber(b);
  if (typeof left === "object" || typeof right === "object") {
    return compareExact(exactOf(left), exactOf(right));
  }
  if (left < right) return -1;
  if (left > right) return 1;
  const leftIsNaN = typeof left === "number" && Number.isNaN(left);
  const rightIsNaN = typeof right === "number" && Number.isNaN(right);
  if (leftIsNaN) return rightIsNaN ? 0 : -1;
  return rightIsNaN ? 1 : 0;
}

/** Compares by code point, like UTF-8 bytes. JavaScript would compare UTF-16 units. */
export function compareStrings(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) return codePointRank(left) < codePointRank(right) ? -1 : 1;
  }
  return compareOrdered(a.length, b.length);
}

/** Ranks a surrogate above all other units, because it is half of a higher code point. */
function codePointRank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

function compareDocuments(a: Document, b: Document): number {
  const keysA = Object.keys(a);
  const keysB = Object.keys(b);
  const length = Math.min(keysA.length, keysB.length);
  for (let index = 0; index < length; index += 1) {
    const keyA = keysA[index] as string;
    const keyB = keysB[index] as string;
    const valueA = a[keyA];
    const valueB = b[keyB];
    const types = typeOrder(valueA) - typeOrder(valueB);
    if (types !== 0) return types < 0 ? -1 : 1;
    if (keyA !== keyB) {
      const names = compareStrings(fieldName(keyA), fieldName(keyB));
      if (names !== 0) return names;
    }
    const values = compareBson(valueA, valueB);
    if (values !== 0) return values;
  }
  return compareOrdered(keysA.length, keysB.length);
}

function compareArrays(a: readonly unknown[], b: readonly unknown[]): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const values = compareBson(a[index], b[index]);
    if (values !== 0) return values;
  }
  return compareOrdered(a.length, b.length);
}

/** The bytes and the subtype of a binary value. A plain `Uint8Array` has subtype 0. */
export function binaryParts(value: Binary | Uint8Array): { bytes: Uint8Array; subtype: number } {
  if (value instanceof Uint8Array) return { bytes: value, subtype: 0 };
  return { bytes: value.buffer.subarray(0, value.position), subtype: value.sub_type };
}

function compareBinary(a: Binary | Uint8Array, b: Binary | Uint8Array): number {
  const left = binaryParts(a);
  const right = binaryParts(b);
  return (
    compareOrdered(left.bytes.length, right.bytes.length) ||
    compareOrdered(left.subtype, right.subtype) ||
    Buffer.compare(left.bytes, right.bytes)
  );
}

/** The pattern and options of a regular expression of any class. */
export function regexParts(value: unknown): { pattern: string; options: string } {
  if (value instanceof RegExp)
    return { pattern: value.source, options: value.flags.replace("g", "") };
  const { pattern, options } = value as { pattern: string; options: string };
  return { pattern, options };
}

function compareRegexes(a: unknown, b: unknown): number {
  const left = regexParts(a);
  const right = regexParts(b);
  return compareStrings(left.pattern, right.pattern) || compareStrings(left.options, right.options);
}
