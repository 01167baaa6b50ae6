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
  pointAt,
  rangeFrom,
  startingWith,
  stringsWith,
  unite,
  wholeOrder,
} from "./bounds.ts";
import type { Comparison, Interval } from "./bounds.ts";
import { isExact, isNaNValue } from "./exact-values.ts";
import { isOnlyPrefix, literalPrefix } from "./regex-prefix.ts";

/** One condition on one path, as the keys that a matching document must have one of. */
export type Predicate = {
  readonly path: string;
  readonly intervals: readonly Interval[];
  /** Without arrays in the documents, the intervals hold exactly what matches. */
  readonly exact: boolean;
  /** A document without the field cannot match. */
  readonly present: boolean;
  /** Not 0: all conditions of the group are on the same element of an array. */
  readonly group: number;
  /** That a dotted path is not null: an empty array on the way is not, but its key is. */
  readonly notNull?: boolean;
};

export type Predicates = {
  readonly all: readonly Predicate[];
  /** Alternatives of which one must hold; several `$or` are several lists. */
  readonly alternatives: readonly (readonly Predicates[])[];
  /** Whether `all` says everything the filter says. */
  readonly complete: boolean;
};

type Reading = {
  all: Predicate[];
  alternatives: (readonly Predicates[])[];
  complete: boolean;
  groups: number;
};

/** What a filter says about paths, as far as indexes can use it. */
export function readPredicates(filter: Buffer | undefined): Predicates {
  const reading: Reading = { all: [], alternatives: [], complete: true, groups: 0 };
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
    // The array may be one that is refused, such as an empty one.
    reading.complete = false;
    return;
  }
  reading.complete = false;
  if (name !== "$or" || value.type !== bsonType.array || group !== 0) return;
  const alternatives: Predicates[] = [];
  for (const clause of elements(value)) {
    if (clause.type !== bsonType.object) return;
    const inner: Reading = { all: [], alternatives: [], complete: true, groups: 0 };
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
  if (!facts.exact) reading.complete = false;
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
  const present = value.type !== bsonType.null;
  add(reading, path, unite(pointsOf(value)), { exact: isExact(value), present, group });
}

/** An array is looked for as a whole, and by its first element: its documents have that key. */
function pointsOf(value: RawValue): Interval[] {
  const whole = pointAt(keyOfValue(value));
  if (value.type !== bsonType.array) return [whole];
  const first = elements(value).next().value as RawValue | undefined;
  return [whole, pointAt(first === undefined ? emptyArrayKey : keyOfValue(first))];
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
  let changesPattern = false;
  while (cursor.next()) {
    const name = cursor.name;
    const reader = Object.hasOwn(readers, name) ? readers[name] : undefined;
    if (reader === undefined || path.includes("$")) reading.complete = false;
    else reader(reading, path, cursor.value, group);
    changesPattern ||= name === "$options";
  }
  // Options change what a pattern matches, whichever of the two stands first.
  if (changesPattern) reading.all.length = from;
}

function readComparison(comparison: Comparison) {
  return (reading: Reading, path: string, value: RawValue, group: number): void => {
    if (value.type === bsonType.null) {
      reading.complete = false;
      if (comparison === "$gte" || comparison === "$lte") {
        add(reading, path, [pointAt(nullKey)], { exact: false, present: false, group });
      }
      return;
    }
    if (!isExact(value) || isNaNValue(value)) {
      reading.complete = false;
      return;
    }
    add(reading, path, [rangeFrom(comparison, value)], { exact: true, present: true, group });
  };
}

function readIn(reading: Reading, path: string, value: RawValue, group: number): void {
  if (value.type !== bsonType.array) {
    reading.complete = false;
    return;
  }
  const points: Interval[] = [];
  let exact = true;
  let present = true;
  for (const element of elements(value)) {
    if (element.type === bsonType.regex) {
      reading.complete = false;
      return;
    }
    if (element.type === bsonType.null) present = false;
    if (!isExact(element)) exact = false;
    points.push(...pointsOf(element));
  }
  add(reading, path, unite(points), { exact, present, group });
}

function readAll(reading: Reading, path: string, value: RawValue, group: number): void {
  const wanted = value.type === bsonType.array ? [...elements(value)] : [];
  // An empty list matches nothing.
  if (wanted.length === 0) reading.complete = false;
  for (const element of wanted) {
    if (element.type === bsonType.regex) readRegex(reading, path, element, group);
    else if (isExact(element)) readEquality(reading, path, element, group);
    else reading.complete = false;
  }
}

function readNotEqual(reading: Reading, path: string, value: RawValue, group: number): void {
  reading.complete = false;
  if (!isExact(value) && value.type !== bsonType.null) return;
  const isNull = value.type === bsonType.null;
  const notNull = isNull && path.includes(".");
  const intervals = complementOf(keyOfValue(value));
  add(reading, path, intervals, { exact: false, present: isNull && !notNull, group, notNull });
}

function readExists(reading: Reading, path: string, value: RawValue, group: number): void {
  const wanted =
    value.type === bsonType.boolean
      ? value.bytes[value.start] === 1
      : value.type === bsonType.int32 && value.bytes.readInt32LE(value.start) !== 0;
  reading.complete = false;
  if (!wanted) {
    if (value.type === bsonType.boolean) {
      add(reading, path, [pointAt(nullKey)], { exact: false, present: false, group });
    }
    return;
  }
  add(reading, path, [wholeOrder], { exact: false, present: true, group });
}

function readRegex(reading: Reading, path: string, value: RawValue, group: number): void {
  const prefix = literalPrefix(value);
  if (prefix === undefined) {
    reading.complete = false;
    return;
  }
  const isRegex = value.type === bsonType.regex;
  const patterns = isRegex ? pointAt(keyOfValue(value)) : startingWith(anyRegexKey);
  const exact = isRegex && isOnlyPrefix(value);
  add(reading, path, unite([stringsWith(prefix), patterns]), { exact, present: true, group });
}

/** A stored pattern matches an equal one; which one is left to the filter. */
const anyRegexKey = Buffer.from([order.regex]);

/** Conditions on one element: together they bound the keys of the same array element. */
function readElemMatch(reading: Reading, path: string, value: RawValue, group: number): void {
  reading.complete = false;
  if (value.type !== bsonType.object || group !== 0) return;
  const own = ++reading.groups;
  const cursor = cursorOf(value);
  if (!cursor.next()) return;
  if (cursor.bytes[cursor.nameStart] !== 0x24) {
    readClauses(reading, cursorOf(value), `${path}.`, own);
    return;
  }
  if (["$and", "$or", "$nor", "$expr"].includes(cursor.name)) return;
  const inner: Reading = { all: [], alternatives: [], complete: true, groups: own };
  readOperators(inner, path, value, own);
  // An element of the array is looked for, never the array itself, so that bounds meet.
  const usable = inner.all.filter((predicate) => predicate.group === own);
  const first = usable[0];
  if (first === undefined) return;
  const intervals = usable.reduce(
    (met: readonly Interval[], one) => intersect(met, one.intervals),
    first.intervals,
  );
  add(reading, path, intervals, { exact: false, present: true, group: own });
}
