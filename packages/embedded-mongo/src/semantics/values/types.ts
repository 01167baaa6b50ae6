import { numberKind } from "./numbers/numbers.ts";

/** BSON type numbers and the aliases that `$type` takes. */
export const typeNumbers = {
  double: 1,
  string: 2,
  object: 3,
  array: 4,
  binData: 5,
  undefined: 6,
  objectId: 7,
  bool: 8,
  date: 9,
  null: 10,
  regex: 11,
  dbPointer: 12,
  javascript: 13,
  symbol: 14,
  javascriptWithScope: 15,
  int: 16,
  timestamp: 17,
  long: 18,
  decimal: 19,
  minKey: -1,
  maxKey: 127,
} as const;

export type TypeName = keyof typeof typeNumbers;

const typeOfClass: { readonly [bsontype: string]: TypeName } = {
  ObjectId: "objectId",
  Binary: "binData",
  Timestamp: "timestamp",
  BSONRegExp: "regex",
  BSONSymbol: "symbol",
  MinKey: "minKey",
  MaxKey: "maxKey",
  DBRef: "object",
};

/** The BSON type of a value in memory; `undefined` (missing) is `"missing"`. */
export function typeName(value: unknown): TypeName | "missing" {
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "bool";
    case "number":
    case "bigint":
      return numberKind(value) ?? "double";
    case "object":
      return objectTypeName(value);
    default:
      return "missing";
  }
}

function objectTypeName(value: object | null): TypeName {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  const bsontype = (value as { _bsontype?: unknown })._bsontype;
  if (typeof bsontype === "string") {
    const kind = numberKind(value);
    if (kind !== undefined) return kind;
    if (bsontype === "Code") {
      return (value as { scope?: unknown }).scope ? "javascriptWithScope" : "javascript";
    }
    return typeOfClass[bsontype] ?? "object";
  }
  if (value instanceof Date) return "date";
  if (value instanceof RegExp) return "regex";
  if (value instanceof Uint8Array) return "binData";
  return "object";
}

const orderOfType: { readonly [type in TypeName | "missing"]: number } = {
  minKey: -1,
  missing: 0,
  undefined: 0,
  null: 5,
  int: 10,
  long: 10,
  double: 10,
  decimal: 10,
  string: 15,
  symbol: 15,
  object: 20,
  array: 25,
  binData: 30,
  objectId: 35,
  bool: 40,
  date: 45,
  timestamp: 47,
  regex: 50,
  dbPointer: 55,
  javascript: 60,
  javascriptWithScope: 65,
  maxKey: 127,
};

/**
 * The rank of a value's type in the BSON order. Values of types with the same rank are compared by
 * value.
 */
export function typeOrder(value: unknown): number {
  switch (typeof value) {
    case "string":
      return 15;
    case "number":
    case "bigint":
      return 10;
    case "boolean":
      return 40;
    default:
      return orderOfType[typeName(value)];
  }
}
