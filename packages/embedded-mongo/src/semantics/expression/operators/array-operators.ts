import { MongoError } from "../../../errors.ts";
import { isTrue } from "../../values/truth.ts";
import { compileSort } from "../../sort.ts";
import { compareBson, equalBson } from "../../values/comparison/compare.ts";
import {
  copyDocument,
  type Document,
  fieldKey,
  fieldName,
  isDocument,
  newDocument,
} from "../../values/document.ts";
import { isNumber, toDouble } from "../../values/numbers/numbers.ts";
import { typeName } from "../../values/types.ts";
import {
  type CompileOperator,
  isNullish,
  named,
  positional,
  requireArray,
  requireInteger,
} from "../operator.ts";
import { zip } from "./zip.ts";

const rangeMax = 1_000_000;

function elementAt(array: unknown, index: unknown): unknown {
  if (isNullish(array) || isNullish(index)) return null;
  if (!Array.isArray(array)) {
    throw new MongoError(
      28689,
      `$arrayElemAt's first argument must be an array, but is ${typeName(array)}`,
    );
  }
  return array.at(requireInteger("$arrayElemAt", index));
}

function endOf(name: string, position: 0 | -1): CompileOperator {
  return positional(1, 1, (array) => {
    if (isNullish(array)) return null;
    return requireArray(name, array).at(position);
  });
}

function slice(array: unknown, first: unknown, second: unknown): unknown {
  if (isNullish(array) || isNullish(first) || second === null) return null;
  const values = requireArray("$slice", array);
  const from = requireInteger("$slice", first);
  if (second === undefined) return from < 0 ? values.slice(from) : values.slice(0, from);
  const count = requireInteger("$slice", second);
  if (count <= 0)
    throw new MongoError(28729, `Third argument to $slice must be positive: ${count}`);
  const start = from < 0 ? Math.max(values.length + from, 0) : from;
  return values.slice(start, start + count);
}

const elementsMax = 4_000_000;

function concatArrays(...arrays: unknown[]): unknown {
  if (arrays.some(isNullish)) return null;
  const elements = arrays.reduce<number>(
    (sum, one) => sum + (Array.isArray(one) ? one.length : 0),
    0,
  );
  // A longer array does not fit into a document.
  if (elements > elementsMax) {
    throw new MongoError(
      "BSONObjectTooLarge",
      `$concatArrays would make more than ${elementsMax} elements`,
    );
  }
  return arrays.flatMap((array) => {
    if (Array.isArray(array)) return array as unknown[];
    throw new MongoError(28664, `$concatArrays only supports arrays, not ${typeName(array)}`);
  });
}

function contains(value: unknown, array: unknown): boolean {
  if (!Array.isArray(array)) {
    throw new MongoError(
      40081,
      `$in requires an array as a second argument, found: ${typeName(array)}`,
    );
  }
  return array.some((element) => equalBson(element, value));
}

function indexOf(array: unknown, value: unknown, start: unknown, end: unknown): unknown {
  if (isNullish(array)) return null;
  const values = requireArray("$indexOfArray", array);
  const from = start === undefined ? 0 : requireInteger("$indexOfArray", start);
  const to = end === undefined ? values.length : requireInteger("$indexOfArray", end);
  return values.findIndex((one, index) => index >= from && index < to && equalBson(one, value));
}

function range(start: unknown, end: unknown, step: unknown): number[] {
  const from = requireInteger("$range", start);
  const to = requireInteger("$range", end);
  const by = step === undefined ? 1 : requireInteger("$range", step);
  if (by === 0) throw new MongoError(34449, "$range requires a non-zero step value");
  const length = Math.max(0, Math.ceil((to - from) / by));
  if (length > rangeMax)
    throw new MongoError("BadValue", `$range would make more than ${rangeMax} elements`);
  return Array.from({ length }, (_, index) => from + index * by);
}

function reverse(array: unknown): unknown {
  return isNullish(array) ? null : requireArray("$reverseArray", array).toReversed();
}

function size(array: unknown): number {
  if (Array.isArray(array)) return array.length;
  throw new MongoError(
    17124,
    `The argument to $size must be an array, but was of type: ${typeName(array)}`,
  );
}

function objectToArray(value: unknown): unknown {
  if (isNullish(value)) return null;
  if (!isDocument(value)) {
    throw new MongoError(
      40390,
      `$objectToArray requires a document input, found: ${typeName(value)}`,
    );
  }
  return Object.keys(value).map((key) => pair(fieldName(key), value[key]));
}

function pair(k: string, v: unknown): Document {
  const result = newDocument();
  result["k"] = k;
  result["v"] = v;
  return result;
}

function arrayToObject(value: unknown): unknown {
  if (isNullish(value)) return null;
  const result = newDocument();
  for (const entry of requireArray("$arrayToObject", value)) {
    const [name, field] = isDocument(entry)
      ? [entry["k"], entry["v"]]
      : requireArray("$arrayToObject", entry);
    if (typeof name !== "string") {
      throw new MongoError(
        40394,
        `$arrayToObject requires an array of key-value pairs, where the key must be of type string. Found key type: ${typeName(name)}`,
      );
    }
    if (field !== undefined) result[fieldKey(name)] = field;
  }
  return result;
}

function mergeObjects(...values: unknown[]): Document {
  const result = newDocument();
  const all = values.length === 1 && Array.isArray(values[0]) ? (values[0] as unknown[]) : values;
  for (const value of all) {
    if (isNullish(value)) continue;
    if (!isDocument(value)) {
      throw new MongoError(
        40400,
        `$mergeObjects requires object inputs, but input is of type ${typeName(value)}`,
      );
    }
    Object.assign(result, copyDocument(value));
  }
  return result;
}

function sortArray({ input, sortBy }: Readonly<Record<string, unknown>>): unknown {
  if (isNullish(input)) return null;
  const values = requireArray("$sortArray", input);
  if (isNumber(sortBy)) {
    const direction = toDouble(sortBy);
    if (direction !== 1 && direction !== -1)
      throw new MongoError(2942505, "The $sort element value must be either 1 or -1");
    return values.toSorted((a, b) => direction * compareBson(a, b));
  }
  if (!isDocument(sortBy))
    throw new MongoError(2942507, "$sortArray requires 'sortBy' to be 1, -1 or a document");
  const compare = compileSort(sortBy);
  return values.toSorted((a, b) => compare(isDocument(a) ? a : {}, isDocument(b) ? b : {}));
}

function distinct(values: readonly unknown[]): unknown[] {
  const sorted = values.toSorted(compareBson);
  return sorted.filter((value, index) => index === 0 || !equalBson(sorted[index - 1], value));
}

function setOperator(
  name: string,
  min: number,
  max: number,
  compute: (sets: readonly (readonly unknown[])[]) => unknown,
): CompileOperator {
  const nullable = name !== "$setEquals" && name !== "$setIsSubset";
  return positional(min, max, (...given) => {
    if (nullable && given.some(isNullish)) return null;
    return compute(given.map((one) => requireArray(name, one)));
  });
}

const isSubset = (a: readonly unknown[], b: readonly unknown[]) =>
  a.every((value) => b.some((other) => equalBson(value, other)));

export const arrayOperators: Readonly<Record<string, CompileOperator>> = {
  $arrayElemAt: positional(2, 2, elementAt),
  $first: endOf("$first", 0),
  $last: endOf("$last", -1),
  $slice: positional(2, 3, slice),
  $concatArrays: positional(0, Infinity, concatArrays),
  $in: positional(2, 2, contains),
  $indexOfArray: positional(2, 4, indexOf),
  $isArray: positional(1, 1, (value) => Array.isArray(value)),
  $range: positional(2, 3, range),
  $reverseArray: positional(1, 1, reverse),
  $size: positional(1, 1, size),
  $objectToArray: positional(1, 1, objectToArray),
  $arrayToObject: positional(1, 1, arrayToObject),
  $mergeObjects: positional(0, Infinity, mergeObjects),
  $sortArray: named(["input", "sortBy"], [], sortArray),
  $zip: zip,
  $allElementsTrue: positional(1, 1, (set) => requireArray("$allElementsTrue", set).every(isTrue)),
  $anyElementTrue: positional(1, 1, (set) => requireArray("$anyElementTrue", set).some(isTrue)),
  $setUnion: setOperator("$setUnion", 0, Infinity, (sets) => distinct(sets.flat(1))),
  $setIntersection: setOperator("$setIntersection", 0, Infinity, ([first = [], ...rest]) =>
    distinct(first.filter((value) => rest.every((set) => isSubset([value], set)))),
  ),
  $setDifference: setOperator("$setDifference", 2, 2, ([a = [], b = []]) =>
    a.filter(
      (value, index) =>
        !isSubset([value], b) && a.findIndex((other) => equalBson(other, value)) === index,
    ),
  ),
  $setEquals: setOperator("$setEquals", 2, Infinity, ([first = [], ...rest]) =>
    rest.every((set) => isSubset(first, set) && isSubset(set, first)),
  ),
  $setIsSubset: setOperator("$setIsSubset", 2, 2, ([a = [], b = []]) => isSubset(a, b)),
};
