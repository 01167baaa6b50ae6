import { Decimal128 } from "bson";
import { MongoError } from "../../errors.ts";
import { add, multiply, toBigInt } from "../values/numbers/arithmetic.ts";
import { compareBson } from "../values/comparison/compare.ts";
import { fieldName, getField, isDocument } from "../values/document.ts";
import {
  type BsonNumber,
  double,
  intOrLong,
  isNumber,
  numberKind,
} from "../values/numbers/numbers.ts";
import { shellText } from "../values/shell-text.ts";
import { typeName } from "../values/types.ts";
import { timestampAt } from "../values/server-timestamp.ts";
import type { ApplyContext, ValueUpdate } from "./apply-at-path.ts";

/** The text for a document in error messages: its _id only. */
export function documentText(context: ApplyContext): string {
  return `{_id: ${shellText(getField(context.document, "_id"))}}`;
}

function nonNumeric(
  operator: string,
  field: string,
  current: unknown,
  context: ApplyContext,
): MongoError {
  return new MongoError(
    "TypeMismatch",
    `Cannot apply ${operator} to a value of non-numeric type. ${documentText(context)} has the field '${lastName(field)}' of non-numeric type ${typeName(current)}`,
  );
}

export function lastName(field: string): string {
  return field.slice(field.lastIndexOf(".") + 1);
}

export function increment(field: string, operand: unknown): ValueUpdate {
  if (!isNumber(operand)) {
    throw new MongoError(
      "TypeMismatch",
      `Cannot increment with non-numeric argument: {${field}: ${shellText(operand)}}`,
    );
  }
  return arithmetic("$inc", field, operand, operand, add);
}

const zeros = {
  int: 0,
  long: 0n,
  double: double(0),
  decimal: Decimal128.fromString("0"),
} as const;

export function multiplyBy(field: string, operand: unknown): ValueUpdate {
  if (!isNumber(operand)) {
    throw new MongoError(
      "TypeMismatch",
      `Cannot multiply with non-numeric argument: {${field}: ${shellText(operand)}}`,
    );
  }
  return arithmetic("$mul", field, operand, zeros[numberKind(operand) ?? "int"], multiply);
}

function arithmetic(
  operator: string,
  field: string,
  operand: BsonNumber,
  whenMissing: BsonNumber,
  compute: (a: BsonNumber, b: BsonNumber) => BsonNumber | undefined,
): ValueUpdate {
  return (current, context) => {
    if (current === undefined) return whenMissing;
    if (!isNumber(current)) throw nonNumeric(operator, field, current, context);
    const result = compute(current, operand);
    if (result === undefined) {
      throw new MongoError(
        "BadValue",
        `Failed to apply ${operator} operations to current value (${shellText(current)}) for document ${documentText(context)}`,
      );
    }
    return result;
  };
}

export function least(operand: unknown): ValueUpdate {
  return (current) =>
    current === undefined || compareBson(operand, current) < 0 ? operand : current;
}

export function greatest(operand: unknown): ValueUpdate {
  return (current) =>
    current === undefined || compareBson(operand, current) > 0 ? operand : current;
}

export function currentDate(operand: unknown): ValueUpdate {
  const type = currentDateType(operand);
  return (_current, { now }) => (type === "date" ? now : timestampAt(now));
}

function currentDateType(operand: unknown): "date" | "timestamp" {
  if (typeof operand === "boolean") return "date";
  if (!isDocument(operand)) {
    throw new MongoError(
      "BadValue",
      `${typeName(operand)} is not valid type for $currentDate. Please use a boolean ('true') or a $type expression ({$type: 'timestamp/date'}).`,
    );
  }
  const unknown = Object.keys(operand).find((key) => key !== "$type");
  if (unknown !== undefined) {
    throw new MongoError("BadValue", `Unrecognized $currentDate option: ${fieldName(unknown)}`);
  }
  const type = operand["$type"];
  if (type === "date" || type === "timestamp") return type;
  throw new MongoError(
    "BadValue",
    "The '$type' string field is required to be 'date' or 'timestamp': {$currentDate: {field : {$type: 'date'}}}",
  );
}

type BitOperation = (a: bigint, b: bigint) => bigint;

const bitOperations: { readonly [name: string]: BitOperation } = {
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
};

function isIntegral(value: unknown): value is BsonNumber {
  const kind = numberKind(value);
  return kind === "int" || kind === "long";
}

export function bits(field: string, operand: unknown): ValueUpdate {
  if (!isDocument(operand) || Object.keys(operand).length === 0) {
    throw new MongoError(
      "BadValue",
      `The $bit modifier is not compatible with a ${typeName(operand)}. You must pass in an embedded document: {$bit: {field: {and/or/xor: #}}`,
    );
  }
  const steps = Object.keys(operand).map((name) => {
    const operation = bitOperations[name];
    const argument = operand[name];
    if (operation === undefined) {
      throw new MongoError(
        "BadValue",
        `The $bit modifier only supports 'and', 'or', and 'xor', not '${fieldName(name)}' which is an unknown operator: {${fieldName(name)}: ${shellText(argument)}}`,
      );
    }
    if (!isIntegral(argument)) {
      throw new MongoError(
        "BadValue",
        `The $bit modifier field must be an Integer(32/64 bit); a '${typeName(argument)}' is not supported here: {${name}: ${shellText(argument)}}`,
      );
    }
    return { operation, argument };
  });
  return (current, context) => {
    if (current !== undefined && !isIntegral(current)) {
      throw new MongoError(
        "BadValue",
        `Cannot apply $bit to a value of non-integral type.${documentText(context)} has the field ${lastName(field)} of non-integer type ${typeName(current)}`,
      );
    }
    let result: BsonNumber = current ?? 0;
    for (const { operation, argument } of steps) {
      const long = numberKind(result) === "long" || numberKind(argument) === "long";
      const value = operation(toBigInt(result), toBigInt(argument));
      result = long ? value : intOrLong(value);
    }
    return result;
  };
}
