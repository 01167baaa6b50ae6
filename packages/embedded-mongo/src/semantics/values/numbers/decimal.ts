import { Decimal128 } from "bson";

/** An exact number: sign × coefficient × 10^exponent. */
type Exact = {
  readonly negative: boolean;
  readonly coefficient: bigint;
  readonly exponent: number;
};
export type ExactNumber = Exact | "NaN" | "Infinity" | "-Infinity";

const exponentBias = 6176;
const exponentMin = -6176;
const exponentMax = 6111;
const digitsMax = 34;
const coefficientLimit = 10n ** 34n;
const doubleParts = new DataView(new ArrayBuffer(8));

function exactOfBigint(value: bigint): Exact {
  return { negative: value < 0n, coefficient: value < 0n ? -value : value, exponent: 0 };
}

/** Every finite double is m × 2^e, and 2^-n is 5^n × 10^-n. */
function exactOfDouble(value: number): ExactNumber {
  if (Number.isNaN(value)) return "NaN";
  if (value === Infinity) return "Infinity";
  if (value === -Infinity) return "-Infinity";
  if (Number.isInteger(value)) return exactOfBigint(BigInt(value));
  doubleParts.setFloat64(0, value);
  const bits = doubleParts.getBigUint64(0);
  const biased = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xf_ffff_ffff_ffffn;
  const mantissa = biased === 0 ? fraction : fraction | (1n << 52n);
  const power = (biased === 0 ? 1 : biased) - 1075;
  return {
    negative: bits >> 63n === 1n,
    coefficient: mantissa * 5n ** BigInt(-power),
    exponent: power,
  };
}

export function exactOfDecimal(value: Decimal128): ExactNumber {
  const view = new DataView(value.bytes.buffer, value.bytes.byteOffset, 16);
  const low = view.getBigUint64(0, true);
  const high = view.getBigUint64(8, true);
  const negative = high >> 63n === 1n;
  const combination = Number((high >> 58n) & 0x1fn);
  if (combination === 0x1f) return "NaN";
  if (combination === 0x1e) return negative ? "-Infinity" : "Infinity";
  if (combination >> 3 === 3) {
    // Coefficients of this form always exceed 34 digits. Such a coefficient counts as zero.
    const exponent = Number((high >> 47n) & 0x3fffn) - exponentBias;
    return { negative, coefficient: 0n, exponent };
  }
  const exponent = Number((high >> 49n) & 0x3fffn) - exponentBias;
  const coefficient = ((high & 0x1_ffff_ffff_ffffn) << 64n) | low;
  return { negative, coefficient: coefficient < coefficientLimit ? coefficient : 0n, exponent };
}

export function exactOf(value: number | bigint | Decimal128): ExactNumber {
  if (typeof value === "number") return exactOfDouble(value);
  if (typeof value === "bigint") return exactOfBigint(value);
  return exactOfDecimal(value);
}

function digitCount(coefficient: bigint): number {
  return coefficient === 0n ? 0 : coefficient.toString().length;
}

/** Compares by mathematical value. NaN is below all numbers and equal to itself. */
export function compareExact(a: ExactNumber, b: ExactNumber): number {
  const rankA = rank(a);
  const rankB = rank(b);
  if (rankA !== rankB) return rankA < rankB ? -1 : 1;
  if (typeof a === "string" || typeof b === "string") return 0;
  if (a.coefficient === 0n) return 0;
  const magnitude = compareMagnitude(a, b);
  return a.negative ? 0 - magnitude : magnitude;
}

function rank(value: ExactNumber): number {
  if (value === "NaN") return -3;
  if (value === "-Infinity") return -2;
  if (value === "Infinity") return 2;
  if (value.coefficient === 0n) return 0;
  return value.negative ? -1 : 1;
}

function compareMagnitude(a: Exact, b: Exact): number {
  const sizeA = digitCount(a.coefficient) + a.exponent;
  const sizeB = digitCount(b.coefficient) + b.exponent;
  if (sizeA !== sizeB) return sizeA < sizeB ? -1 : 1;
  const exponent = Math.min(a.exponent, b.exponent);
  const left = a.coefficient * 10n ** BigInt(a.exponent - exponent);
  const right = b.coefficient * 10n ** BigInt(b.exponent - exponent);
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Divides and rounds half to even. */
function divideHalfEven(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor;
  const twice = (value % divisor) * 2n;
  if (twice > divisor || (twice === divisor && quotient % 2n === 1n)) return quotient + 1n;
  return quotient;
}

/** The nearest `Decimal128`: 34 digits, rounded half to even. */
export function decimalOfExact(value: ExactNumber): Decimal128 {
  if (typeof value === "string") return Decimal128.fromString(value);
  let { coefficient, exponent } = value;
  const excess = Math.max(digitCount(coefficient) - digitsMax, exponentMin - exponent, 0);
  if (excess > 0) {
    coefficient = divideHalfEven(coefficient, 10n ** BigInt(excess));
    exponent += excess;
    if (digitCount(coefficient) > digitsMax) {
      coefficient /= 10n;
      exponent += 1;
    }
  }
  while (exponent > exponentMax && digitCount(coefficient) < digitsMax && coefficient !== 0n) {
    coefficient *= 10n;
    exponent -= 1;
  }
  if (exponent > exponentMax) {
    if (coefficient !== 0n) return Decimal128.fromString(value.negative ? "-Infinity" : "Infinity");
    exponent = exponentMax;
  }
  const bytes = new Uint8Array(16);
  const view = new DataView(bytes.buffer);
  const high = (BigInt(exponent + exponentBias) << 49n) | (coefficient >> 64n);
  view.setBigUint64(0, coefficient & 0xffff_ffff_ffff_ffffn, true);
  view.setBigUint64(8, value.negative ? high | (1n << 63n) : high, true);
  return new Decimal128(bytes);
}

/** MongoDB rounds a double to a decimal of 15 significant digits before decimal arithmetic. */
export function decimalOfDouble(value: number): Decimal128 {
  if (!Number.isFinite(value)) return Decimal128.fromString(String(value));
  return Decimal128.fromString(value === 0 ? "0" : value.toPrecision(15));
}

function signed(value: Exact): bigint {
  return value.negative ? -value.coefficient : value.coefficient;
}

export function addExact(a: ExactNumber, b: ExactNumber): ExactNumber {
  if (a === "NaN" || b === "NaN") return "NaN";
  if (typeof a === "string") return typeof b === "string" && a !== b ? "NaN" : a;
  if (typeof b === "string") return b;
  const exponent = Math.min(a.exponent, b.exponent);
  const sum =
    signed(a) * 10n ** BigInt(a.exponent - exponent) +
    signed(b) * 10n ** BigInt(b.exponent - exponent);
  return { negative: sum < 0n, coefficient: sum < 0n ? -sum : sum, exponent };
}

export function multiplyExact(a: ExactNumber, b: ExactNumber): ExactNumber {
  if (a === "NaN" || b === "NaN") return "NaN";
  if (typeof a === "string" || typeof b === "string") {
    const sign = rank(a) * rank(b);
    return sign === 0 ? "NaN" : sign < 0 ? "-Infinity" : "Infinity";
  }
  return {
    negative: a.negative !== b.negative,
    coefficient: a.coefficient * b.coefficient,
    exponent: a.exponent + b.exponent,
  };
}

/** 34 significant digits of a / b (callers refuse a zero divisor). */
export function divideExact(a: ExactNumber, b: ExactNumber): ExactNumber {
  if (a === "NaN" || b === "NaN") return "NaN";
  if (typeof a === "string") {
    if (typeof b === "string") return "NaN";
    return (a === "-Infinity") === b.negative ? "Infinity" : "-Infinity";
  }
  if (typeof b === "string") return { negative: false, coefficient: 0n, exponent: 0 };
  // Two digits beyond the precision and a sticky digit make the final rounding correct.
  const shift = Math.max(0, digitsMax + 2 + digitCount(b.coefficient) - digitCount(a.coefficient));
  const scaled = a.coefficient * 10n ** BigInt(shift);
  const exactly = scaled % b.coefficient === 0n;
  let coefficient = scaled / b.coefficient;
  let exponent = a.exponent - b.exponent - shift;
  if (exactly) {
    while (exponent < a.exponent - b.exponent && coefficient !== 0n && coefficient % 10n === 0n) {
      coefficient /= 10n;
      exponent += 1;
    }
  } else {
    coefficient = coefficient * 10n + 1n;
    exponent -= 1;
  }
  return { negative: a.negative !== b.negative, coefficient, exponent };
}
