import { MongoError } from "../../errors.ts";
import { binaryParts } from "../values/comparison/compare.ts";
import { type BsonNumber, isNumber, plainNumber, toDouble } from "../values/numbers/numbers.ts";
import type { LeafTest } from "../values/paths.ts";
import { typeName, typeNumbers, type TypeName } from "../values/types.ts";

const nameOfNumber = new Map<number, TypeName>(
  Object.entries(typeNumbers).map(([name, number]) => [number, name as TypeName]),
);
const numberTypes: readonly TypeName[] = ["int", "long", "double", "decimal"];

function typesNamed(operand: unknown): readonly TypeName[] {
  if (typeof operand === "string") {
    if (operand === "number") return numberTypes;
    if (Object.hasOwn(typeNumbers, operand)) return [operand as TypeName];
    throw new MongoError("BadValue", `Unknown type name alias: ${operand}`);
  }
  if (!isNumber(operand)) {
    throw new MongoError("TypeMismatch", "type must be represented as a number or a string");
  }
  const name = nameOfNumber.get(toDouble(operand));
  if (name === undefined) {
    throw new MongoError("BadValue", `Invalid numerical type code: ${toDouble(operand)}`);
  }
  return [name];
}

export function hasType(operand: unknown): LeafTest {
  if (Array.isArray(operand) && operand.length === 0) {
    throw new MongoError("FailedToParse", "$type must match at least one type");
  }
  const types = new Set<string>((Array.isArray(operand) ? operand : [operand]).flatMap(typesNamed));
  return (value) => types.has(typeName(value));
}

export function hasSize(operand: unknown): LeafTest {
  if (!isNumber(operand)) {
    throw new MongoError(
      "FailedToParse",
      `Failed to parse $size. Expected a number in: $size: ${describe(operand)}`,
    );
  }
  const size = toDouble(operand);
  if (!Number.isInteger(size)) {
    throw new MongoError(
      "FailedToParse",
      `Failed to parse $size. Expected an integer: $size: ${size}`,
    );
  }
  if (size < 0) {
    throw new MongoError(
      "FailedToParse",
      `Failed to parse $size. Expected a non-negative number in: $size: ${size}`,
    );
  }
  return (value) => Array.isArray(value) && value.length === size;
}

function describe(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : typeName(value);
}

/** Converts any number to an integer, truncated towards zero. */
function toInteger(value: BsonNumber): bigint | undefined {
  const plain = plainNumber(value);
  if (typeof plain === "bigint") return plain;
  const number = typeof plain === "number" ? plain : toDouble(plain);
  return Number.isFinite(number) ? BigInt(Math.trunc(number)) : undefined;
}

export function hasRemainder(operand: unknown): LeafTest {
  if (!Array.isArray(operand))
    throw new MongoError("BadValue", "malformed mod, needs to be an array");
  if (operand.length < 2) throw new MongoError("BadValue", "malformed mod, not enough elements");
  if (operand.length > 2) throw new MongoError("BadValue", "malformed mod, too many elements");
  const [divisor, remainder] = operand.map((one: unknown) =>
    isNumber(one) ? toInteger(one) : undefined,
  );
  if (divisor === undefined)
    throw new MongoError("BadValue", "malformed mod, divisor not a number");
  if (remainder === undefined)
    throw new MongoError("BadValue", "malformed mod, remainder not a number");
  if (divisor === 0n) throw new MongoError("BadValue", "divisor cannot be 0");
  return (value) => {
    const integer = isNumber(value) ? toInteger(value) : undefined;
    return integer !== undefined && integer % divisor === remainder;
  };
}

export type BitOperator = "$bitsAllSet" | "$bitsAllClear" | "$bitsAnySet" | "$bitsAnyClear";

/** The mask as bit positions: a number, a list of positions, or binary data. */
function bitPositions(operator: string, operand: unknown): number[] {
  if (Array.isArray(operand)) {
    return operand.map((one: unknown) => {
      const position = isNumber(one) ? toDouble(one) : Number.NaN;
      if (!Number.isInteger(position) || position < 0) {
        throw new MongoError(
          "BadValue",
          `Failed to parse bit position. Expected a non-negative integer in: ${operator}`,
        );
      }
      return position;
    });
  }
  if (isNumber(operand)) {
    const mask = toInteger(operand);
    if (mask === undefined || mask < 0n || !Number.isInteger(toDouble(operand))) {
      throw new MongoError("FailedToParse", `${operator} takes a non-negative integer`);
    }
    return setBits(mask);
  }
  if (typeName(operand) === "binData") return bitsOfBytes(operand);
  throw new MongoError(
    "BadValue",
    `${operator} takes an Array, a number, or a BinData but received: ${describe(operand)}`,
  );
}

function setBits(mask: bigint): number[] {
  return mask
    .toString(2)
    .split("")
    .toReversed()
    .flatMap((bit, position) => (bit === "1" ? [position] : []));
}

function bitsOfBytes(value: unknown): number[] {
  const { bytes } = binaryParts(value as Uint8Array);
  return Array.from({ length: bytes.length * 8 }, (_, position) => position).filter(
    (position) => (((bytes[position >> 3] as number) >> (position & 7)) & 1) === 1,
  );
}

export function hasBits(operator: BitOperator, operand: unknown): LeafTest {
  const positions = bitPositions(operator, operand);
  const wanted = operator.endsWith("Set");
  return (value) => {
    const bitAt = bitReader(value);
    if (bitAt === undefined) return false;
    const passes = (position: number) => bitAt(position) === wanted;
    return operator.startsWith("$bitsAll") ? positions.every(passes) : positions.some(passes);
  };
}

/**
 * Numbers have 64 bits, and higher positions equal the sign bit. Bits beyond the end of binary data
 * are 0.
 */
function bitReader(value: unknown): ((position: number) => boolean) | undefined {
  if (typeName(value) === "binData") {
    const { bytes } = binaryParts(value as Uint8Array);
    return (position) => (((bytes[position >> 3] ?? 0) >> (position & 7)) & 1) === 1;
  }
  if (!isNumber(value)) return undefined;
  const integer = toInteger(value);
  if (integer === undefined || (typeof value === "number" && !Number.isInteger(value)))
    return undefined;
  return (position) => ((integer >> BigInt(Math.min(position, 64))) & 1n) === 1n;
}
