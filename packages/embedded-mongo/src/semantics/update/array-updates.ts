import { MongoError } from "../../errors.ts";
import { compileElementFilter, compileFilter } from "../filter/compile.ts";
import { isOperatorDocument } from "../filter/operators.ts";
import { compileSort } from "../sort.ts";
import { compareBson, equalBson } from "../values/comparison/compare.ts";
import { fieldName, isDocument } from "../values/document.ts";
import { isNumber, toDouble } from "../values/numbers/numbers.ts";
import { shellText } from "../values/shell-text.ts";
import { typeName } from "../values/types.ts";
import { documentText, lastName } from "./value-updates.ts";
import type { ValueUpdate } from "./apply-at-path.ts";

type Push = {
  readonly each: readonly unknown[];
  readonly position: number | undefined;
  readonly slice: number | undefined;
  readonly sort: ((a: unknown, b: unknown) => number) | undefined;
};

export function push(field: string, operand: unknown): ValueUpdate {
  const { each, position, slice, sort } = parsePush(operand);
  return (current, context) => {
    if (current !== undefined && !Array.isArray(current)) {
      throw new MongoError(
        "BadValue",
        `The field '${field}' must be an array but is of type ${typeName(current)} in document ${documentText(context)}`,
      );
    }
    const before = (current ?? []) as unknown[];
    let result: unknown[];
    if (position === undefined) result = [...before, ...each];
    else
      result = before.toSpliced(
        position < 0 ? Math.max(before.length + position, 0) : position,
        0,
        ...each,
      );
    if (sort !== undefined) result.sort(sort);
    if (slice === undefined || result.length <= Math.abs(slice)) return result;
    return slice < 0 ? result.slice(slice) : result.slice(0, slice);
  };
}

function parsePush(operand: unknown): Push {
  if (!isDocument(operand) || operand["$each"] === undefined) {
    return { each: [operand], position: undefined, slice: undefined, sort: undefined };
  }
  const unknown = Object.keys(operand).find(
    (key) => !["$each", "$position", "$slice", "$sort"].includes(key),
  );
  if (unknown !== undefined) {
    throw new MongoError("BadValue", `Unrecognized clause in $push: ${fieldName(unknown)}`);
  }
  const each = operand["$each"];
  if (!Array.isArray(each)) {
    throw new MongoError(
      "BadValue",
      `The argument to $each in $push must be an array but it was of type: ${typeName(each)}`,
    );
  }
  return {
    each,
    position: integerClause("$position", operand["$position"]),
    slice: integerClause("$slice", operand["$slice"]),
    sort: operand["$sort"] === undefined ? undefined : elementSort(operand["$sort"]),
  };
}

function integerClause(name: string, value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const number = isNumber(value) ? toDouble(value) : Number.NaN;
  if (!Number.isInteger(number)) {
    throw new MongoError(
      "BadValue",
      `The value for ${name} must be an integer value but was given type: ${typeName(value)}`,
    );
  }
  return number;
}

function elementSort(value: unknown): (a: unknown, b: unknown) => number {
  if (isNumber(value)) {
    const direction = toDouble(value);
    if (direction === 1 || direction === -1) return (a, b) => direction * compareBson(a, b);
    throw new MongoError("BadValue", "The $sort element value must be either 1 or -1");
  }
  if (!isDocument(value)) {
    throw new MongoError(
      "BadValue",
      "The $sort is invalid: use 1/-1 to sort the whole element, or {field:1/-1} to sort embedded fields",
    );
  }
  if (Object.keys(value).length === 0)
    throw new MongoError(
      "BadValue",
      "The $sort pattern is empty when it should be a set of fields.",
    );
  const compare = compileSort(value);
  // An element that is not a document has none of the fields.
  return (a, b) => compare(isDocument(a) ? a : {}, isDocument(b) ? b : {});
}

export function addToSet(field: string, operand: unknown): ValueUpdate {
  const additions = distinct(additionsOf(operand));
  return (current, context) => {
    if (current !== undefined && !Array.isArray(current)) {
      throw new MongoError(
        "BadValue",
        `Cannot apply $addToSet to non-array field. Field named '${lastName(field)}' has non-array type ${typeName(current)} in document ${documentText(context)}`,
      );
    }
    const before = (current ?? []) as unknown[];
    const missing = additions.filter((value) => !before.some((known) => equalBson(known, value)));
    if (missing.length === 0 && current !== undefined) return current;
    return [...before, ...missing];
  };
}

function additionsOf(operand: unknown): readonly unknown[] {
  if (!isDocument(operand) || Object.keys(operand)[0] !== "$each") return [operand];
  const unknown = Object.keys(operand).find((key) => key !== "$each");
  if (unknown !== undefined) {
    throw new MongoError(
      "BadValue",
      `Found unexpected fields after $each in $addToSet: ${shellText(operand)}`,
    );
  }
  const each = operand["$each"];
  if (Array.isArray(each)) return each;
  throw new MongoError(
    "TypeMismatch",
    `The argument to $each in $addToSet must be an array but it was of type ${typeName(each)}`,
  );
}

function distinct(values: readonly unknown[]): unknown[] {
  return values.filter(
    (value, index) => values.findIndex((other) => equalBson(value, other)) === index,
  );
}

export function pop(field: string, operand: unknown): ValueUpdate {
  const end = isNumber(operand) ? toDouble(operand) : undefined;
  if (end === undefined) {
    throw new MongoError(
      "FailedToParse",
      `Expected a number in: ${lastName(field)}: ${shellText(operand)}`,
    );
  }
  if (end !== 1 && end !== -1) {
    throw new MongoError("FailedToParse", `$pop expects 1 or -1, found: ${shellText(operand)}`);
  }
  return (current) => {
    if (current === undefined) return undefined;
    if (!Array.isArray(current)) {
      throw new MongoError(
        "TypeMismatch",
        `Path '${field}' contains an element of non-array type '${typeName(current)}'`,
      );
    }
    return end === 1 ? current.slice(0, -1) : current.slice(1);
  };
}

export function pull(operand: unknown): ValueUpdate {
  return removeWhere("$pull", pullTest(operand));
}

/** Operators and regular expressions test the element itself. A plain document tests its fields. */
function pullTest(operand: unknown): (element: unknown) => boolean {
  if (isOperatorDocument(operand) || typeName(operand) === "regex") {
    const filter = compileFilter({ element: operand });
    return (element) => filter.matches({ element });
  }
  if (!isDocument(operand)) return (element) => equalBson(element, operand);
  const matches = compileElementFilter(operand);
  return (element) => isDocument(element) && matches(element);
}

export function pullAll(operand: unknown): ValueUpdate {
  if (!Array.isArray(operand)) {
    throw new MongoError(
      "BadValue",
      `$pullAll requires an array argument but was given a ${typeName(operand)}`,
    );
  }
  return removeWhere("$pullAll", (element) => operand.some((value) => equalBson(value, element)));
}

function removeWhere(operator: string, test: (element: unknown) => boolean): ValueUpdate {
  return (current) => {
    if (current === undefined) return undefined;
    if (!Array.isArray(current)) {
      throw new MongoError("BadValue", `Cannot apply ${operator} to a non-array value`);
    }
    const kept = current.filter((element) => !test(element));
    return kept.length === current.length ? current : kept;
  };
}
