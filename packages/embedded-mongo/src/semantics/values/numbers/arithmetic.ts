import type { Decimal128 } from "bson";
import {
  addExact,
  decimalOfDouble,
  decimalOfExact,
  divideExact,
  exactOf,
  type ExactNumber,
  multiplyExact,
} from "./decimal.ts";
import {
  type BsonNumber,
  double,
  int64Max,
  int64Min,
  isInt32,
  intOrLong,
  numberKind,
  plainNumber,
  toDouble,
} from "./numbers.ts";

/** The result has the wider of the two numeric types: int < long < double < decimal. */
function widest(a: BsonNumber, b: BsonNumber): "int" | "long" | "double" | "decimal" {
  const kinds = [numberKind(a), numberKind(b)];
  if (kinds.includes("decimal")) return "decimal";
  if (kinds.includes("double")) return "double";
  return kinds.includes("long") ? "long" : "int";
}

export function toBigInt(value: BsonNumber): bigint {
  const plain = plainNumber(value);
  return typeof plain === "bigint" ? plain : BigInt(Math.trunc(toDouble(value)));
}

/** The operand of decimal arithmetic. Doubles are rounded to 15 digits first. */
function decimalOperand(value: BsonNumber): ExactNumber {
  const plain = plainNumber(value);
  if (numberKind(value) === "double") return exactOf(decimalOfDouble(plain as number));
  return exactOf(plain);
}

export function toDecimal(value: BsonNumber): Decimal128 {
  return decimalOfExact(decimalOperand(value));
}

type Operation = {
  readonly doubles: (a: number, b: number) => number;
  readonly longs: (a: bigint, b: bigint) => bigint;
  readonly exacts: (a: ExactNumber, b: ExactNumber) => ExactNumber;
};

const addition: Operation = {
  doubles: (a, b) => a + b,
  longs: (a, b) => a + b,
  exacts: addExact,
};

const multiplication: Operation = {
  doubles: (a, b) => a * b,
  longs: (a, b) => a * b,
  exacts: multiplyExact,
};

/** Returns the result in MongoDB's numeric type, or `undefined` if int64 overflows. */
function compute(operation: Operation, a: BsonNumber, b: BsonNumber): BsonNumber | undefined {
  switch (widest(a, b)) {
    case "decimal":
      return decimalOfExact(operation.exacts(decimalOperand(a), decimalOperand(b)));
    case "double":
      return double(operation.doubles(toDouble(a), toDouble(b)));
    case "long": {
      const result = operation.longs(toBigInt(a), toBigInt(b));
      return result < int64Min || result > int64Max ? undefined : result;
    }
    default:
      return intOrLong(operation.longs(toBigInt(a), toBigInt(b)));
  }
}

export function add(a: BsonNumber, b: BsonNumber): BsonNumber | undefined {
  if (typeof a === "number" && typeof b === "number" && isInt32(a) && isInt32(b)) {
    const sum = a + b;
    return isInt32(sum) ? sum : BigInt(sum);
  }
  return compute(addition, a, b);
}

export function multiply(a: BsonNumber, b: BsonNumber): BsonNumber | undefined {
  return compute(multiplication, a, b);
}

export function negate(value: BsonNumber): BsonNumber | undefined {
  return multiply(value, -1);
}

/** The quotient is a double, or a decimal if an operand is one. Callers refuse a zero divisor. */
export function divide(a: BsonNumber, b: BsonNumber): BsonNumber {
  if (widest(a, b) === "decimal") {
    return decimalOfExact(divideExact(decimalOperand(a), decimalOperand(b)));
  }
  return double(toDouble(a) / toDouble(b));
}
