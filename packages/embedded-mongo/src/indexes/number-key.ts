import type { Buffer } from "node:buffer";
import { Decimal128, Long } from "bson";

/*
 * Numbers of all four types share one order. The key of a number begins with the nearest double
 * towards zero, as eight order-preserving bytes. A tail follows: one zero byte if the double is
 * exact, otherwise the whole magnitude in decimal digits, which orders the numbers with the same
 * double. The bytes of a negative number are inverted.
 */

const tailExact = 0x00;
const tailDigits = 0x01;
const exponentBias = 0x4000;

const scratch = new DataView(new ArrayBuffer(8));

/**
 * Bytes of the longest number key: double, tail mark, exponent, 34 digits (40 reserved) and their
 * end.
 */
export const numberKeyBytesMax = 8 + 1 + 2 + 40 + 1;

/** Writes the key of a number that is exactly this double. */
export function writeDouble(out: Buffer, at: number, value: number): number {
  if (Number.isNaN(value)) {
    out.fill(0, at, at + 9);
    return at + 9;
  }
  writeOrderedDouble(out, at, value === 0 ? 0 : value);
  out[at + 8] = value < 0 ? ~tailExact & 0xff : tailExact;
  return at + 9;
}

function writeOrderedDouble(out: Buffer, at: number, value: number): void {
  scratch.setFloat64(0, value);
  const high = scratch.getUint32(0);
  const low = scratch.getUint32(4);
  if (high >= 0x80000000) {
    out.writeUInt32BE(~high >>> 0, at);
    out.writeUInt32BE(~low >>> 0, at + 4);
  } else {
    out.writeUInt32BE((high | 0x80000000) >>> 0, at);
    out.writeUInt32BE(low, at + 4);
  }
}

export function writeInt64(out: Buffer, at: number, low: number, high: number): number {
  const top = high >> 21;
  // Within 2^53 of zero the double is exact.
  if (top === 0 || top === -1) return writeDouble(out, at, high * 0x100000000 + (low >>> 0));
  return writeDecimalDigits(out, at, new Long(low, high).toString());
}

export function writeDecimal128(out: Buffer, at: number, bytes: Uint8Array): number {
  const text = new Decimal128(Uint8Array.from(bytes)).toString();
  if (text === "NaN") return writeDouble(out, at, Number.NaN);
  if (text === "Infinity") return writeDouble(out, at, Number.POSITIVE_INFINITY);
  if (text === "-Infinity") return writeDouble(out, at, Number.NEGATIVE_INFINITY);
  return writeDecimalDigits(out, at, text);
}

type Magnitude = { readonly digits: string; readonly exponent: number };

/** The number `0.digits × 10^exponent`, without leading or trailing zeros. */
function magnitudeOf(text: string): Magnitude {
  const [mantissa = "", power = "0"] = text.toUpperCase().split("E");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const all = whole + fraction;
  const leading = all.length - all.replace(/^0+/, "").length;
  return {
    digits: all.slice(leading).replace(/0+$/, ""),
    exponent: whole.length - leading + Number(power),
  };
}

function writeDecimalDigits(out: Buffer, at: number, text: string): number {
  const negative = text.startsWith("-");
  const magnitude = magnitudeOf(negative ? text.slice(1) : text);
  if (magnitude.digits === "") return writeDouble(out, at, 0);
  const { double, exact } = towardsZero(magnitude);
  if (exact) return writeDouble(out, at, negative ? -double : double);
  writeOrderedDouble(out, at, negative ? -double : double);
  let end = at + 8;
  out[end++] = tailDigits;
  end = out.writeUInt16BE(magnitude.exponent + exponentBias, end);
  end += out.write(magnitude.digits, end, "latin1");
  out[end++] = 0;
  if (negative) for (let i = at + 8; i < end; i++) out[i] = ~out[i]! & 0xff;
  return end;
}

function towardsZero(magnitude: Magnitude): { double: number; exact: boolean } {
  let double = Number(`0.${magnitude.digits}e${magnitude.exponent}`);
  if (double === Number.POSITIVE_INFINITY) return { double: Number.MAX_VALUE, exact: false };
  let order = compareExactly(double, magnitude);
  if (order > 0) {
    double = nextTowardsZero(double);
    order = -1;
  }
  return { double, exact: order === 0 };
}

function nextTowardsZero(double: number): number {
  scratch.setFloat64(0, double);
  scratch.setBigUint64(0, scratch.getBigUint64(0) - 1n);
  return scratch.getFloat64(0);
}

/** Compares a double with a decimal, without rounding. */
function compareExactly(double: number, magnitude: Magnitude): number {
  scratch.setFloat64(0, double);
  const bits = scratch.getBigUint64(0);
  const biased = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  let left = biased === 0 ? fraction : fraction | 0x10000000000000n;
  const binaryPower = (biased === 0 ? 1 : biased) - 1075;
  let right = BigInt(magnitude.digits);
  const decimalPower = magnitude.exponent - magnitude.digits.length;
  // The decimal is far below the range of doubles. Its powers of ten would be huge.
  if (left === 0n) return -1;
  if (binaryPower >= 0) left <<= BigInt(binaryPower);
  else right <<= BigInt(-binaryPower);
  if (decimalPower >= 0) right *= 10n ** BigInt(decimalPower);
  else left *= 10n ** BigInt(-decimalPower);
  return left < right ? -1 : left > right ? 1 : 0;
}
