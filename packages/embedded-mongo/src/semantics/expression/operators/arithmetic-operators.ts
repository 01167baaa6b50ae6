import { Decimal128 } from "bson";
import { MongoError } from "../../../errors.ts";
import { add, divide, multiply, negate, toBigInt } from "../../values/numbers/arithmetic.ts";
import { compareNumbers } from "../../values/comparison/compare.ts";
import {
  type BsonNumber,
  double,
  intOrLong,
  isNumber,
  numberKind,
  toDouble,
} from "../../values/numbers/numbers.ts";
import { isDocument } from "../../values/document.ts";
import { typeName } from "../../values/types.ts";
import {
  type CompileOperator,
  isNullish,
  positional,
  requireInteger,
  requireNumber,
} from "../operator.ts";

/** A sum that overflows int64 continues as a double. */
function addWide(a: BsonNumber, b: BsonNumber): BsonNumber {
  return add(a, b) ?? double(toDouble(a) + toDouble(b));
}

function multiplyWide(a: BsonNumber, b: BsonNumber): BsonNumber {
  return multiply(a, b) ?? double(toDouble(a) * toDouble(b));
}

function dateAfter(date: Date, milliseconds: BsonNumber): Date {
  const result = new Date(date.getTime() + Math.round(toDouble(milliseconds)));
  if (Number.isNaN(result.getTime())) throw new MongoError("Overflow", "date overflow in $add");
  return result;
}

function sum(...values: unknown[]): unknown {
  let total: BsonNumber = 0;
  let date: Date | undefined;
  for (const value of values) {
    if (isNullish(value)) return null;
    if (value instanceof Date) {
      if (date !== undefined)
        throw new MongoError(16612, "only one date allowed in an $add expression");
      date = value;
    } else if (isNumber(value)) total = addWide(total, value);
    else {
      throw new MongoError(
        "TypeMismatch",
        `$add only supports numeric or date types, not ${typeName(value)}`,
      );
    }
  }
  return date === undefined ? total : dateAfter(date, total);
}

function subtract(a: unknown, b: unknown): unknown {
  if (isNullish(a) || isNullish(b)) return null;
  if (a instanceof Date && b instanceof Date) return BigInt(a.getTime() - b.getTime());
  if (a instanceof Date && isNumber(b)) return dateAfter(a, double(-toDouble(b)));
  if (isNumber(a) && isNumber(b)) {
    const opposite = negate(b);
    return opposite === undefined ? double(toDouble(a) - toDouble(b)) : addWide(a, opposite);
  }
  throw new MongoError("TypeMismatch", `can't $subtract ${typeName(b)} from ${typeName(a)}`);
}

function product(...values: unknown[]): unknown {
  let total: BsonNumber = 1;
  for (const value of values) {
    if (isNullish(value)) return null;
    total = multiplyWide(total, requireNumber("$multiply", value));
  }
  return total;
}

function quotient(a: unknown, b: unknown): unknown {
  if (isNullish(a) || isNullish(b)) return null;
  if (!isNumber(a) || !isNumber(b)) {
    throw new MongoError(
      "TypeMismatch",
      `$divide only supports numeric types, not ${typeName(a)} and ${typeName(b)}`,
    );
  }
  if (toDouble(b) === 0) throw new MongoError("BadValue", "can't $divide by zero");
  return divide(a, b);
}

function remainder(a: unknown, b: unknown): unknown {
  if (isNullish(a) || isNullish(b)) return null;
  if (!isNumber(a) || !isNumber(b)) {
    throw new MongoError(
      16611,
      `$mod only supports numeric types, not ${typeName(a)} and ${typeName(b)}`,
    );
  }
  if (toDouble(b) === 0) throw new MongoError(16610, "can't $mod by zero");
  refuseDecimal("$mod", a, b);
  const kinds = [numberKind(a), numberKind(b)];
  if (kinds.includes("double")) return double(toDouble(a) % toDouble(b));
  const result = toBigInt(a) % toBigInt(b);
  return kinds.includes("long") ? result : intOrLong(result);
}

function refuseDecimal(name: string, ...values: readonly BsonNumber[]): void {
  if (values.some((value) => value instanceof Decimal128)) {
    throw new MongoError("BadValue", `${name} of a decimal is not supported by this server`);
  }
}

/** An operator on one number whose result is a double. */
function toDoubleBy(name: string, compute: (value: number) => number): CompileOperator {
  return positional(1, 1, (value) => {
    if (isNullish(value)) return null;
    const number = requireNumber(name, value);
    refuseDecimal(name, number);
    return double(compute(toDouble(number)));
  });
}

/** An operator on one number whose result has the same numeric type. */
function keepingKind(name: string, compute: (value: number) => number): CompileOperator {
  return positional(1, 1, (value) => {
    if (isNullish(value)) return null;
    const number = requireNumber(name, value);
    refuseDecimal(name, number);
    return numberKind(number) === "double" ? double(compute(toDouble(number))) : number;
  });
}

function absolute(value: unknown): unknown {
  if (isNullish(value)) return null;
  const number = requireNumber("$abs", value);
  if (compareNumbers(number, 0) >= 0) return number;
  const result = negate(number);
  if (result === undefined) throw new MongoError(28680, "can't take $abs of long long min");
  return result;
}

/** Rounds to a decimal place: half to even for $round, towards zero for $trunc. */
function atPlace(name: string, round: (value: number) => number): CompileOperator {
  return positional(1, 2, (value, place) => {
    if (isNullish(value) || place === null) return null;
    const number = requireNumber(name, value);
    const digits = place === undefined ? 0 : requireInteger(name, place);
    if (digits < -20 || digits > 100)
      throw new MongoError(
        51083,
        `cannot apply ${name} with precision value ${digits}: the value must be in [-20, 100]`,
      );
    refuseDecimal(name, number);
    if (numberKind(number) === "double") return double(roundAt(toDouble(number), digits, round));
    if (digits >= 0) return number;
    const result = BigInt(roundAt(toDouble(number), digits, round));
    return numberKind(number) === "long" ? result : intOrLong(result);
  });
}

function roundAt(value: number, digits: number, round: (value: number) => number): number {
  if (!Number.isFinite(value) || digits > 15) return value;
  // Shift by the exponent in the text. Multiplication would turn 1.005 into 1.00499….
  const shifted = Number(shiftExponent(value, digits));
  return Number(shiftExponent(round(shifted), -digits));
}

function shiftExponent(value: number, by: number): string {
  const [digits, exponent] = value.toExponential().split("e") as [string, string];
  return `${digits}e${Number(exponent) + by}`;
}

function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest === 0.5) return floor % 2 === 0 ? floor : floor + 1;
  return rest > 0.5 ? floor + 1 : floor;
}

function power(a: unknown, b: unknown): unknown {
  if (isNullish(a) || isNullish(b)) return null;
  const base = requireNumber("$pow", a);
  const exponent = requireNumber("$pow", b);
  refuseDecimal("$pow", base, exponent);
  if (toDouble(base) === 0 && toDouble(exponent) < 0) {
    throw new MongoError(28764, "$pow cannot take a base of 0 and a negative exponent");
  }
  const kinds = [numberKind(base), numberKind(exponent)];
  if (kinds.includes("double") || toDouble(exponent) < 0)
    return double(toDouble(base) ** toDouble(exponent));
  const approximate = toDouble(base) ** toDouble(exponent);
  if (Math.abs(approximate) >= 2 ** 63) return approximate;
  const exact = toBigInt(base) ** toBigInt(exponent);
  return kinds.includes("long") ? exact : intOrLong(exact);
}

function positive(name: string, code: number, compute: (value: number) => number): CompileOperator {
  return toDoubleBy(name, (value) => {
    if (value <= 0)
      throw new MongoError(code, `${name}'s argument must be a positive number, but is ${value}`);
    return compute(value);
  });
}

const random: CompileOperator = (name, operand) => {
  const isEmpty = Array.isArray(operand)
    ? operand.length === 0
    : isDocument(operand) && Object.keys(operand).length === 0;
  if (!isEmpty) throw new MongoError(3040501, `${name} does not currently accept arguments`);
  return () => double(Math.random());
};

export const arithmeticOperators: Readonly<Record<string, CompileOperator>> = {
  $rand: random,
  $add: positional(0, Infinity, sum),
  $subtract: positional(2, 2, subtract),
  $multiply: positional(0, Infinity, product),
  $divide: positional(2, 2, quotient),
  $mod: positional(2, 2, remainder),
  $abs: positional(1, 1, absolute),
  $ceil: keepingKind("$ceil", Math.ceil),
  $floor: keepingKind("$floor", Math.floor),
  $round: atPlace("$round", roundHalfEven),
  $trunc: atPlace("$trunc", Math.trunc),
  $pow: positional(2, 2, power),
  $sqrt: toDoubleBy("$sqrt", (value) => {
    if (value < 0)
      throw new MongoError(28714, "$sqrt's argument must be greater than or equal to 0");
    return Math.sqrt(value);
  }),
  $exp: toDoubleBy("$exp", Math.exp),
  $ln: positive("$ln", 28766, Math.log),
  $log10: positive("$log10", 28761, Math.log10),
};
