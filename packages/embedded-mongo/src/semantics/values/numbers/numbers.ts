import { type Decimal128, Double, Int32, Long } from "bson";

/**
 * Numbers in memory keep their BSON type:
 *
 * - int32: a JavaScript integer in the int32 range;
 * - double: any other JavaScript number, or a `Double` when its value is such an integer;
 * - int64: a `bigint`;
 * - decimal: a `Decimal128`.
 *
 * `Int32`, `Long` and unnecessary `Double` instances, which drivers create, are accepted as well.
 */
export type NumberKind = "int" | "double" | "long" | "decimal";
export type BsonNumber = number | bigint | Double | Int32 | Long | Decimal128;

const int32Min = -0x8000_0000;
const int32Max = 0x7fff_ffff;
export const int64Min = -(2n ** 63n);
export const int64Max = 2n ** 63n - 1n;

export function isInt32(value: number): boolean {
  return (value | 0) === value && !Object.is(value, -0);
}

export function numberKind(value: unknown): NumberKind | undefined {
  if (typeof value === "number") return isInt32(value) ? "int" : "double";
  if (typeof value === "bigint") return "long";
  if (typeof value !== "object" || value === null) return undefined;
  switch ((value as { _bsontype?: unknown })._bsontype) {
    case "Double":
      return "double";
    case "Int32":
      return "int";
    case "Long":
      return "long";
    case "Decimal128":
      return "decimal";
    default:
      return undefined;
  }
}

export function isNumber(value: unknown): value is BsonNumber {
  return numberKind(value) !== undefined;
}

/** A double in the form of documents. */
export function double(value: number): number | Double {
  return isInt32(value) ? new Double(value) : value;
}

/** An integer result of int32 arithmetic. As in MongoDB, it becomes int64 if it does not fit. */
export function intOrLong(value: bigint): number | bigint {
  return value >= int32Min && value <= int32Max ? Number(value) : value;
}

/** The numeric value without its BSON type. A `Decimal128` is returned unchanged. */
export function plainNumber(value: BsonNumber): number | bigint | Decimal128 {
  if (typeof value === "number" || typeof value === "bigint") return value;
  if (value instanceof Double || value instanceof Int32) return value.value;
  if (value instanceof Long) return value.toBigInt();
  return value;
}

/** The nearest double. */
export function toDouble(value: BsonNumber): number {
  const plain = plainNumber(value);
  if (typeof plain === "number") return plain;
  if (typeof plain === "bigint") return Number(plain);
  const text = plain.toString();
  return text === "Infinity" || text === "-Infinity" || text === "NaN" ? Number(text) : +text;
}

export function isNaNNumber(value: unknown): boolean {
  if (typeof value === "number") return Number.isNaN(value);
  const kind = numberKind(value);
  if (kind === undefined || kind === "long" || kind === "int") return false;
  return Number.isNaN(toDouble(value as BsonNumber));
}
