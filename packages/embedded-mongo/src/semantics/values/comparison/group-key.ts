import { type Decimal128, ObjectId } from "bson";
import { binaryParts, regexParts } from "./compare.ts";
import { exactOfDecimal } from "../numbers/decimal.ts";
import { type Document, isDocument } from "../document.ts";
import { type BsonNumber, isNumber, plainNumber } from "../numbers/numbers.ts";
import { typeName } from "../types.ts";

/** A text that is the same for two values if and only if they are equal. */
export function groupKey(value: unknown): string {
  if (typeof value === "string") return `s${value.length}:${value}`;
  if (isNumber(value)) return `n${numberText(value)};`;
  if (value instanceof ObjectId) return `o${value.toHexString()};`;
  if (Array.isArray(value)) return `[${value.map(groupKey).join("")}]`;
  if (isDocument(value)) return documentText(value);
  const type = typeName(value);
  if (value instanceof Date) return `date${value.getTime()};`;
  if (type === "binData") {
    const { bytes, subtype } = binaryParts(value as Uint8Array);
    return `bin${subtype}:${Buffer.from(bytes).toString("base64")};`;
  }
  if (type === "regex") {
    const { pattern, options } = regexParts(value);
    return `regex${pattern.length}:${pattern}${options};`;
  }
  return `${type}:${JSON.stringify(value) ?? ""};`;
}

function documentText(document: Document): string {
  const fields = Object.keys(document).map(
    (key) => `${key.length}:${key}${groupKey(document[key])}`,
  );
  return `{${fields.join("")}}`;
}

/** A number that a double holds exactly has the double's text, whatever its type. */
function numberText(value: BsonNumber): string {
  const plain = plainNumber(value);
  if (typeof plain === "number") return plain === 0 ? "0" : String(plain);
  if (typeof plain === "bigint") {
    return BigInt(Number(plain)) === plain ? String(Number(plain)) : `${plain}/0`;
  }
  return decimalText(plain);
}

function decimalText(value: Decimal128): string {
  const exact = exactOfDecimal(value);
  if (typeof exact === "string") return exact;
  let { coefficient, exponent } = exact;
  if (coefficient === 0n) return "0";
  while (coefficient % 10n === 0n) {
    coefficient /= 10n;
    exponent += 1;
  }
  const sign = exact.negative ? "-" : "";
  if (exponent >= 0 && exponent < 400) {
    const integer = coefficient * 10n ** BigInt(exponent);
    const asDouble = Number(integer);
    if (Number.isFinite(asDouble) && BigInt(asDouble) === integer) return sign + String(asDouble);
    return `${sign}${integer}/0`;
  }
  return exactFractionText(sign, coefficient, exponent);
}

/**
 * A fraction equals a double only if its denominator is a power of two that the double can hold.
 */
function exactFractionText(sign: string, coefficient: bigint, exponent: number): string {
  const text = `${coefficient}e${exponent}`;
  const asDouble = Number(text);
  const fives = exponent < 0 && exponent > -400 ? 5n ** BigInt(-exponent) : 0n;
  const isDyadic = fives !== 0n && coefficient % fives === 0n;
  const fits = isDyadic && coefficient / fives < 2n ** 53n;
  return fits && Number.isFinite(asDouble) ? sign + String(asDouble) : sign + text;
}
