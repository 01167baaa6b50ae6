import { MongoError } from "../../errors.ts";
import { compareBson, regexParts } from "../values/comparison/compare.ts";
import { groupKey } from "../values/comparison/group-key.ts";
import { isNaNNumber, isNumber } from "../values/numbers/numbers.ts";
import type { LeafTest } from "../values/paths.ts";
import { regexOf } from "../values/regex/regex.ts";
import { typeName, typeOrder } from "../values/types.ts";

/** Equality in queries: a missing value equals null. */
export function equalTo(operand: unknown): LeafTest {
  if (operand === null || operand === undefined)
    return (value) => value === null || value === undefined;
  if (typeof operand === "boolean") return (value) => value === operand;
  const order = typeOrder(operand);
  return (value) =>
    value === operand ||
    (value !== undefined && typeOrder(value) === order && compareBson(value, operand) === 0);
}

export type RangeOperator = "$lt" | "$lte" | "$gt" | "$gte";

const passes: { readonly [operator in RangeOperator]: (order: number) => boolean } = {
  $lt: (order) => order < 0,
  $lte: (order) => order <= 0,
  $gt: (order) => order > 0,
  $gte: (order) => order >= 0,
};

/** Ranges stay within one type of the BSON order, except for bounds of MinKey and MaxKey. */
export function inRange(operator: RangeOperator, operand: unknown, field: string): LeafTest {
  const type = typeName(operand);
  if (type === "regex") {
    throw new MongoError("BadValue", `Can't have RegEx as arg to predicate over field '${field}'.`);
  }
  const pass = passes[operator];
  const inclusive = operator === "$lte" || operator === "$gte";
  if (type === "null" || type === "missing") {
    return inclusive ? (value) => value === null || value === undefined : () => false;
  }
  if (type === "minKey" || type === "maxKey") return (value) => pass(compareBson(value, operand));
  if (isNaNNumber(operand)) return (value) => inclusive && isNaNNumber(value);
  return sameTypeRange(operand, pass);
}

function sameTypeRange(operand: unknown, pass: (order: number) => boolean): LeafTest {
  const order = typeOrder(operand);
  const numeric = isNumber(operand);
  const general: LeafTest = (value) => {
    if (value === undefined || typeOrder(value) !== order) return false;
    return pass(compareBson(value, operand)) && !(numeric && isNaNNumber(value));
  };
  if (typeof operand === "number") {
    return (value) =>
      typeof value === "number"
        ? !Number.isNaN(value) && pass(value < operand ? -1 : value > operand ? 1 : 0)
        : general(value);
  }
  if (operand instanceof Date) {
    const time = operand.getTime();
    return (value) => value instanceof Date && pass(value.getTime() - time);
  }
  return general;
}

export function matchesRegex(operand: unknown): LeafTest {
  const regex = regexOf(operand);
  const { pattern, options } = regexParts(operand);
  return (value) => {
    if (typeof value === "string") return regex.test(value);
    const type = typeName(value);
    if (type === "symbol") return regex.test(String(value));
    if (type !== "regex") return false;
    const other = regexParts(value);
    return other.pattern === pattern && other.options === options;
  };
}

/** Tests membership. Lists of ids and statuses are long, so values are looked up in a set. */
export function isIn(operands: readonly unknown[]): LeafTest {
  const strings = new Set<unknown>();
  const others = new Set<string>();
  const patterns: LeafTest[] = [];
  for (const operand of operands) {
    const type = typeName(operand);
    if (type === "string") strings.add(operand);
    else if (type === "regex") patterns.push(matchesRegex(operand));
    else others.add(groupKey(operand));
  }
  const hasNull = others.has(groupKey(null));
  return (value) => {
    if (value === undefined) return hasNull;
    if (
      typeof value === "string"
        ? strings.has(value)
        : others.size > 0 && others.has(groupKey(value))
    ) {
      return true;
    }
    return patterns.some((test) => test(value));
  };
}
