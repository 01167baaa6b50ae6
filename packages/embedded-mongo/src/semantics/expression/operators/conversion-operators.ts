import { Decimal128, ObjectId } from "bson";
import { MongoError } from "../../../errors.ts";
import { isTrue } from "../../values/truth.ts";
import { toBigInt, toDecimal } from "../../values/numbers/arithmetic.ts";
import {
  type BsonNumber,
  double,
  int64Max,
  int64Min,
  isNumber,
  numberKind,
  plainNumber,
  toDouble,
} from "../../values/numbers/numbers.ts";
import { typeName, typeNumbers } from "../../values/types.ts";
import { type CompileOperator, isNullish, named, positional } from "../operator.ts";

type Target = "double" | "string" | "objectId" | "bool" | "date" | "int" | "long" | "decimal";
const targets = ["double", "string", "objectId", "bool", "date", "int", "long", "decimal"] as const;

const conversionFailure = 241;

function failure(value: unknown, target: Target): MongoError {
  return new MongoError(
    conversionFailure,
    `Unsupported conversion from ${typeName(value)} to ${target} in $convert with no onError value`,
  );
}

function unparsable(text: string, target: string): MongoError {
  return new MongoError(
    conversionFailure,
    `Failed to parse ${target} '${text}' in $convert with no onError value`,
  );
}

export function convert(value: unknown, target: Target): unknown {
  switch (target) {
    case "bool":
      return isTrue(value);
    case "string":
      return toText(value);
    case "double":
      return double(numberFrom(value, target));
    case "decimal":
      return decimalFrom(value);
    case "int":
    case "long":
      return integerFrom(value, target);
    case "date":
      return dateFrom(value);
    default:
      return idFrom(value);
  }
}

function toText(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof ObjectId) return value.toHexString();
  if (isNumber(value)) return numberText(value);
  throw failure(value, "string");
}

function numberText(value: BsonNumber): string {
  const plain = plainNumber(value);
  if (typeof plain === "number" && !Number.isFinite(plain)) return String(plain);
  return String(plain);
}

function numberFrom(value: unknown, target: Target): number {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (value instanceof Date && target === "double") return value.getTime();
  if (isNumber(value)) return toDouble(value);
  if (typeof value !== "string") throw failure(value, target);
  const number = /^\s|\s$|^$|^0x/i.test(value) ? Number.NaN : Number(value);
  if (Number.isNaN(number) && value !== "NaN") throw unparsable(value, "number");
  return number;
}

function decimalFrom(value: unknown): Decimal128 {
  if (isNumber(value)) return toDecimal(value);
  if (value instanceof Date) return toDecimal(BigInt(value.getTime()));
  if (typeof value !== "string") return toDecimal(numberFrom(value, "decimal"));
  try {
    return Decimal128.fromStringWithRounding(value);
  } catch {
    throw unparsable(value, "number");
  }
}

function integerFrom(value: unknown, target: "int" | "long"): number | bigint {
  const integer = exactInteger(value, target);
  const [min, max] = target === "int" ? [-(2n ** 31n), 2n ** 31n - 1n] : [int64Min, int64Max];
  if (integer < min || integer > max) {
    throw new MongoError(
      conversionFailure,
      `Conversion would overflow target type in $convert with no onError value: ${integer}`,
    );
  }
  return target === "int" ? Number(integer) : integer;
}

function exactInteger(value: unknown, target: "int" | "long"): bigint {
  if (typeof value === "string") {
    if (!/^[+-]?\d+$/.test(value)) throw unparsable(value, "number");
    return BigInt(value.replace("+", ""));
  }
  if (value instanceof Date && target === "long") return BigInt(value.getTime());
  if (isNumber(value) && numberKind(value) !== "double" && numberKind(value) !== "decimal") {
    return toBigInt(value);
  }
  const number = numberFrom(value, target);
  if (!Number.isFinite(number)) {
    throw new MongoError(
      conversionFailure,
      `Attempt to convert ${number} to an integer value in $convert with no onError value`,
    );
  }
  return BigInt(Math.trunc(number));
}

function dateFrom(value: unknown): Date {
  if (value instanceof Date) return value;
  if (value instanceof ObjectId) return value.getTimestamp();
  if (isNumber(value) && numberKind(value) !== "int") return new Date(Math.trunc(toDouble(value)));
  if (typeof value !== "string") throw failure(value, "date");
  // Without a zone MongoDB assumes UTC. JavaScript would assume local time.
  const zoned = /(?:Z|[+-]\d{2}:?\d{2})$/.test(value) || !value.includes("T") ? value : `${value}Z`;
  const date = new Date(/^\d{4}-\d{2}-\d{2}/.test(value) ? zoned : Number.NaN);
  if (Number.isNaN(date.getTime())) {
    throw new MongoError(conversionFailure, `Error parsing date string '${value}'`);
  }
  return date;
}

function idFrom(value: unknown): ObjectId {
  if (value instanceof ObjectId) return value;
  if (typeof value !== "string") throw failure(value, "objectId");
  if (!/^[0-9a-fA-F]{24}$/.test(value)) throw unparsable(value, "objectId");
  return new ObjectId(value);
}

function targetOf(to: unknown): Target {
  const byNumber = isNumber(to)
    ? Object.entries(typeNumbers).find(([, number]) => number === toDouble(to))?.[0]
    : to;
  const target = targets.find((one) => one === byNumber);
  if (target !== undefined) return target;
  throw new MongoError("BadValue", `Unknown type name: ${String(byNumber)}`);
}

function convertOperator(values: Readonly<Record<string, unknown>>): unknown {
  const { input, to, onNull, onError } = values;
  if (isNullish(input)) return onNull ?? null;
  if (isNullish(to)) return null;
  const target = targetOf(to);
  try {
    return convert(input, target);
  } catch (error) {
    if ("onError" in values && error instanceof MongoError && error.code === conversionFailure)
      return onError;
    throw error;
  }
}

function to(target: Target): CompileOperator {
  return positional(1, 1, (value) => (isNullish(value) ? null : convert(value, target)));
}

export const conversionOperators: Readonly<Record<string, CompileOperator>> = {
  $convert: named(["input", "to"], ["onError", "onNull"], convertOperator),
  $toBool: to("bool"),
  $toDate: to("date"),
  $toDecimal: to("decimal"),
  $toDouble: to("double"),
  $toInt: to("int"),
  $toLong: to("long"),
  $toObjectId: to("objectId"),
  $toString: to("string"),
  $type: positional(1, 1, typeName),
  $isNumber: positional(1, 1, isNumber),
};
