import { Buffer } from "node:buffer";
import { bsonType, ElementCursor } from "../bson/raw-document.ts";
import type { RawValue } from "../bson/raw-document.ts";
import { order } from "../indexes/key-writer.ts";
import {
  complementOf,
  emptyArrayKey,
  intersect,
  keyOfValue,
  nullKey,
  pointInterval,
  comparisonRange,
  prefixRange,
  stringPrefixRange,
  unite,
  unboundedInterval,
} from "./bounds.ts";
import type { Comparison, Interval } from "./bounds.ts";
import type { Predicate, Predicates } from "./predicates.ts";
import { isExact, isNaNValue } from "../indexes/exact-values.ts";
import { isOnlyPrefix, literalPrefix } from "./regex-prefix.ts";

type Reading = {
  all: Predicate[];
  alternatives: (readonly Predicates[])[];
  isComplete: boolean;
  groups: number;
};

/** Reads the conditions of a filter that indexes can use. */
export function readPredicates(filter: Buffer | undefined): Predicates {
  const reading: Reading = { all: [], alternatives: [], isComplete: true, groups: 0 };
  if (filter !== undefined) readClauses(reading, new ElementCursor(filter), "", 0);
  return reading;
}

function readClauses(reading: Reading, cursor: ElementCursor, prefix: string, group: number): void {
  while (cursor.next()) {
    const name = cursor.name;
    if (name.startsWith("$")) readLogical(reading, name, cursor.value, prefix, group);
    else readField(reading, prefix + name, cursor.value, group);
  }
}

function readLogical(
  reading: Reading,
  name: string,
  value: RawValue,
  prefix: string,
  group: number,
): void {
  if (name === "$and" && value.type === bsonType.array) {
    for (const clause of elements(value)) {
      if (clause.type === bsonType.object) readClauses(reading, cursorOf(clause), prefix, group);
    }
    // The array may be invalid, for example empty. Only compiling the filter refuses it.
    reading.isComplete = false;
    return;
  }
  reading.isComplete = false;
  if (name !== "$or" || value.type !== bsonType.array || group !== 0) return;
  const alternatives: Predicates[] = [];
  for (const clause of elements(value)) {
    if (clause.type !== bsonType.object) return;
    const inner: Reading = { all: [], alternatives: [], isComplete: true, groups: 0 };
    readClauses(inner, cursorOf(clause), prefix, 0);
    alternatives.push(inner);
  }
  if (alternatives.length > 0) reading.alternatives.push(alternatives);
}

function cursorOf(value: RawValue): ElementCursor {
  return new ElementCursor(value.bytes, value.start, value.end);
}

function* elements(array: RawValue): Generator<RawValue> {
  const cursor = cursorOf(array);
  while (cursor.next()) yield cursor.value;
}

function add(
  reading: Reading,
  path: string,
  intervals: readonly Interval[],
  facts: Omit<Predicate, "path" | "intervals">,
): void {
  reading.all.push({ path, intervals, ...facts });
  if (!facts.exact) reading.isComplete = false;
}

function readField(reading: Reading, path: string, value: RawValue, group: number): void {
  if (value.type === bsonType.object) {
    const cursor = cursorOf(value);
    if (cursor.next() && cursor.bytes[cursor.nameStart] === 0x24) {
      readOperators(reading, path, value, group);
      return;
    }
  }
  readEquality(reading, path, value, group);
}

function readEquality(reading: Reading, path: string, value: RawValue, group: number): void {
  if (value.type === bsonType.regex) {
    readRegex(reading, path, value, group);
    return;
  }
  const requiresField = value.type !== bsonType.null;
  add(reading, path, unite(pointsOf(value)), {
    exact: isExact(value),
    requiresField,
    group,
  });
}

/** Equality with an array: its documents have a key for the array or for its first element. */
function pointsOf(value: RawValue): Interval[] {
  const whole = pointInterval(keyOfValue(value));
  if (value.type !== bsonType.array) return [whole];
  const first = elements(value).next().value as RawValue | undefined;
  return [whole, pointInterval(first === undefined ? emptyArrayKey : keyOfValue(first))];
}

const readers: {
  readonly [operator: string]: (
    reading: Reading,
    path: string,
    value: RawValue,
    group: number,
  ) => void;
} = {
  $eq: readEquality,
  $in: readIn,
  $all: readAll,
  $ne: readNotEqual,
  $lt: readComparison("$lt"),
  $lte: readComparison("$lte"),
  $gt: readComparison("$gt"),
  $gte: readComparison("$gte"),
  $exists: readExists,
  $regex: readRegex,
  $elemMatch: readElemMatch,
};

function readOperators(reading: Reading, path: string, value: RawValue, group: number): void {
  const cursor = cursorOf(value);
  const from = reading.all.length;
  let hasOptions = false;
  while (cursor.next()) {
    const name = cursor.name;
    const reader = Object.hasOwn(readers, name) ? readers[name] : undefined;
    if (reader === undefined || path.includes("$")) reading.isComplete = false;
    else reader(reading, path, cursor.value, group);
    hasOptions ||= name === "$options";
  }
  // `$options` changes the pattern, whether it comes before or after `$regex`. So no bound is
  // usable.
  if (hasOptions) reading.all.length = from;
}

function readComparison(comparison: Comparison) {
  return (reading: Reading, path: string, value: RawValue, group: number): void => {
    if (value.type === bsonType.null) {
      reading.isComplete = false;
      if (comparison === "$gte" || comparison === "$lte") {
        add(reading, path, [pointInterval(nullKey)], { exact: false, requiresField: false, group });
      }
      return;
    }
    if (!isExact(value) || isNaNValue(value)) {
      reading.isComplete = false;
      return;
    }
    add(reading, path, [comparisonRange(comparison, value)], {
      exact: true,
      requiresField: true,
      group,
    });
  };
}

function readIn(reading: Reading, path: string, value: RawValue, group: number): void {
  if (value.type !== bsonType.array) {
    reading.isComplete = false;
    return;
  }
  const points: Interval[] = [];
  let exact = true;
  let requiresField = true;
  for (const element of elements(value)) {
    if (element.type === bsonType.regex) {
      reading.isComplete = false;
      return;
    }
    if (element.type === bsonType.null) requiresField = false;
    if (!isExact(element)) exact = false;
    points.push(...pointsOf(element));
  }
  add(reading, path, unite(points), { exact, requiresField, group });
}

function readAll(reading: Reading, path: string, value: RawValue, group: number): void {
  const wanted = value.type === bsonType.array ? [...elements(value)] : [];
  // An empty list matches nothing.
  if (wanted.length === 0) reading.isComplete = false;
  for (const element of wanted) {
    if (element.type === bsonType.regex) readRegex(reading, path, element, group);
    else if (isExact(element)) readEquality(reading, path, element, group);
    else reading.isComplete = false;
  }
}

function readNotEqual(reading: Reading, path: string, value: RawValue, group: number): void {
  reading.isComplete = false;
  if (!isExact(value) && value.type !== bsonType.null) return;
  const isNull = value.type === bsonType.null;
  const notNull = isNull && path.includes(".");
  const intervals = complementOf(keyOfValue(value));
  add(reading, path, intervals, {
    exact: false,
    requiresField: isNull && !notNull,
    group,
    notNull,
  });
}

function readExists(reading: Reading, path: string, value: RawValue, group: number): void {
  const wanted =
    value.type === bsonType.boolean
      ? value.bytes[value.start] === 1
      : value.type === bsonType.int32 && value.bytes.readInt32LE(value.start) !== 0;
  reading.isComplete = false;
  if (!wanted) {
    if (value.type === bsonType.boolean) {
      add(reading, path, [pointInterval(nullKey)], { exact: false, requiresField: false, group });
    }
    return;
  }
  add(reading, path, [unboundedInterval], { exact: false, requiresField: true, group });
}

function readRegex(reading: Reading, path: string, value: RawValue, group: number): void {
  const prefix = literalPrefix(value);
  if (prefix === undefined) {
    reading.isComplete = false;
    return;
  }
  const isRegex = value.type === bsonType.regex;
  const patterns = isRegex ? pointInterval(keyOfValue(value)) : prefixRange(anyRegexKey);
  const exact = isRegex && isOnlyPrefix(value);
  add(reading, path, unite([stringPrefixRange(prefix), patterns]), {
    exact,
    requiresField: true,
    group,
  });
}

/**
 * The keys of all stored patterns. A pattern matches a stored equal pattern; the filter decides
 * which.
 */
const anyRegexKey = Buffer.from([order.regex]);

/** Conditions on one array element. Together they bound the keys of that element. */
function readElemMatch(reading: Reading, path: string, value: RawValue, group: number): void {
  reading.isComplete = false;
  if (value.type !== bsonType.object || group !== 0) return;
  const own = ++reading.groups;
  const cursor = cursorOf(value);
  if (!cursor.next()) return;
  if (cursor.bytes[cursor.nameStart] !== 0x24) {
    readClauses(reading, cursorOf(value), `${path}.`, own);
    return;
  }
  if (["$and", "$or", "$nor", "$expr"].includes(cursor.name)) return;
  const inner: Reading = { all: [], alternatives: [], isComplete: true, groups: own };
  readOperators(inner, path, value, own);
  // All conditions apply to one element, never to the array itself, so their bounds can be
  // intersected.
  const usable = inner.all.filter((predicate) => predicate.group === own);
  const first = usable[0];
  if (first === undefined) return;
  const intervals = usable.reduce(
    (met: readonly Interval[], one) => intersect(met, one.intervals),
    first.intervals,
  );
  add(reading, path, intervals, { exact: false, requiresField: true, group: own });
}
