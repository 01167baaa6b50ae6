import { Buffer } from "node:buffer";
import type { IndexTable } from "../storage/collections/index-table.ts";
import {
  maxByte,
  boundBytes,
  toDescending,
  intersect,
  isPoint,
  unboundedInterval,
} from "./bounds.ts";
import type { Interval } from "./bounds.ts";
import type { IndexPlan, KeyRange, RequiredElements, SortField } from "./plan.ts";
import type { Predicate, Predicates } from "./predicates.ts";

/** With more combinations of `$in` values, the filter checks the remaining fields. */
const rangesMax = 100_000;
const mergedRangesMax = 200;

export type Candidate = {
  readonly plan: IndexPlan;
  /** The number of leading fields that are fixed to one or a few values. */
  readonly pointFields: number;
  readonly rangeField: boolean;
};

type FieldBounds = {
  readonly intervals: readonly Interval[];
  readonly isPoints: boolean;
  readonly used: readonly Predicate[];
};

const candidatesMax = 8;

/**
 * Several conditions may each fix an element of the same array, but only one of them can bound the
 * keys. Each of these conditions gives one candidate.
 */
export function candidatesOf(
  index: IndexTable,
  predicates: Predicates,
  sort: readonly SortField[] | undefined,
): [Candidate, ...Candidate[]] {
  const { fields } = index.definition;
  const arrayField = fields.find((_, i) => index.multikey[i] === true);
  const conditions = predicates.all.filter(
    ({ path, group, intervals }) =>
      path === arrayField?.path && group === 0 && isSinglePoint(intervals),
  );
  const [first, ...others] =
    conditions.length > 1 ? conditions.slice(0, candidatesMax) : [undefined];
  const candidateBoundedBy = (condition: Predicate | undefined): Candidate => {
    if (condition === undefined) return candidateOf(index, predicates, sort);
    const rest = predicates.all.filter((one) => one !== condition);
    return candidateOf(index, { ...predicates, all: [condition, ...rest] }, sort);
  };
  return [candidateBoundedBy(first), ...others.map(candidateBoundedBy)];
}

export function candidateOf(
  index: IndexTable,
  predicates: Predicates,
  sort: readonly SortField[] | undefined,
): Candidate {
  const bounds = boundsOfFields(index, predicates);
  const order = sort === undefined ? undefined : orderOf(index, bounds, sort);
  const mergeFrom = order?.mergeFrom ?? 0;
  const ranges = rangesOf(bounds, mergeFrom);
  const merged = mergeFrom > 0 && ranges.length > 1;
  const sorted = order !== undefined && (!merged || ranges.length <= mergedRangesMax);
  const used = new Set(bounds.flatMap((field) => field.used));
  const pointFields = countLeading(bounds, (field) => field.isPoints);
  const unused = predicates.all.filter((one) => !used.has(one));
  const isUniqueLookup = pointFields === bounds.length && index.definition.unique;
  const requiredElements =
    !isUniqueLookup && unused.length > 0 ? requiredElementsOf(index, bounds, unused) : undefined;
  const plan: IndexPlan = {
    kind: "index",
    index,
    ranges,
    descending: sorted && order.reversed,
    merged: merged && sorted,
    sorted,
    requiredElements,
    exact: predicates.isComplete && unused.length === (requiredElements?.prefixes.length ?? 0),
    mayRepeatDocuments: bounds.some(
      (field, i) => index.multikey[i] === true && !isSinglePoint(field.intervals),
    ),
    isUniqueLookup,
    bounds: bounds.map((field) => field.intervals),
  };
  const next = bounds[pointFields];
  return { plan, pointFields, rangeField: next !== undefined && !isWhole(next.intervals) };
}

/**
 * A document with an array has one key per element, and these keys differ only in the element. The
 * conditions that do not bound the ranges can therefore be checked in the index, without reading
 * the document.
 */
function requiredElementsOf(
  { definition, multikey }: IndexTable,
  bounds: readonly FieldBounds[],
  unused: readonly Predicate[],
): RequiredElements | undefined {
  const at = multikey.indexOf(true);
  const array = definition.fields[at];
  const fixed = bounds.slice(0, at + 1).map(({ intervals }) => intervals);
  if (!array || multikey.lastIndexOf(true) !== at || !fixed.every(isSinglePoint)) return undefined;
  const elements = unused.filter(
    ({ path, exact, intervals }) => path === array.path && exact && isSinglePoint(intervals),
  );
  if (elements.length === 0) return undefined;
  const before = fixed.slice(0, -1);
  return {
    prefixes: elements.map(({ intervals }) =>
      keyUpTo([...before, array.descending ? toDescending(intervals) : intervals]),
    ),
    prefixBytes: keyUpTo(fixed).length,
  };
}

function keyUpTo(fields: readonly (readonly Interval[])[]): Buffer {
  return Buffer.concat(fields.flatMap((intervals) => intervals.map(({ low }) => low.bytes)));
}

function countLeading(bounds: readonly FieldBounds[], test: (one: FieldBounds) => boolean): number {
  const end = bounds.findIndex((field) => !test(field));
  return end < 0 ? bounds.length : end;
}

function isSinglePoint(intervals: readonly Interval[]): boolean {
  const [only] = intervals;
  return intervals.length === 1 && only !== undefined && isPoint(only);
}

function isWhole(intervals: readonly Interval[]): boolean {
  const [only] = intervals;
  return intervals.length === 1 && only !== undefined && isUnbounded(only);
}

function isUnbounded({ low, high }: Interval): boolean {
  return low.bytes.length === 0 && high.bytes.length === 0;
}

/** The bounds of each field. A field can be bounded only if all fields before it are fixed. */
function boundsOfFields(index: IndexTable, predicates: Predicates): FieldBounds[] {
  const noBounds: FieldBounds = { intervals: [unboundedInterval], isPoints: false, used: [] };
  let open = true;
  let combinations = 1;
  let arrayGroup: number | undefined;
  return index.definition.fields.map((field, i) => {
    if (!open || field.components.some((component) => /^\d+$/.test(component))) {
      open = false;
      return noBounds;
    }
    const multikey = index.multikey[i] === true;
    let usable = predicates.all.filter(
      (one) => one.path === field.path && hasKeyForMatches(index, one),
    );
    if (multikey) {
      // Different elements may match different conditions. Only one condition can bound the keys,
      // unless all conditions are on the same element.
      usable = usableOnArray(usable, arrayGroup);
      if (usable.length > 0) arrayGroup ??= usable[0]!.group;
    }
    if (usable.length === 0) {
      open = false;
      return noBounds;
    }
    const intervals = usable.reduce(
      (met: readonly Interval[], one) => intersect(met, one.intervals),
      [unboundedInterval],
    );
    const isPoints = intervals.every(isPoint);
    combinations *= Math.max(1, intervals.length);
    if (combinations > rangesMax) {
      open = false;
      return noBounds;
    }
    open = isPoints;
    const ordered = field.descending ? toDescending(intervals) : intervals;
    return { intervals: ordered, isPoints, used: usable };
  });
}

/** Whether each document that matches the condition has a key that shows it. */
function hasKeyForMatches(index: IndexTable, { requiresField, notNull }: Predicate): boolean {
  if (!index.isMultikey) return true;
  return notNull !== true && (requiresField || !index.definition.sparse);
}

function usableOnArray(usable: readonly Predicate[], arrayGroup: number | undefined): Predicate[] {
  if (arrayGroup !== undefined) {
    return arrayGroup === 0 ? [] : usable.filter((one) => one.group === arrayGroup).slice(0, 1);
  }
  const best =
    usable.find((one) => one.intervals.every(isPoint)) ??
    usable.find((one) => !isWhole(one.intervals)) ??
    usable[0];
  if (best === undefined || best.group === 0) return best === undefined ? [] : [best];
  return usable.filter((one) => one.group === best.group);
}

type Order = {
  readonly reversed: boolean;
  /** The fields before this one have several values, so their ranges must be merged; 0 for none. */
  readonly mergeFrom: number;
};

/** How the index gives the order of the sort; undefined if it does not. */
function orderOf(
  index: IndexTable,
  bounds: readonly FieldBounds[],
  sort: readonly SortField[],
): Order | undefined {
  const { fields } = index.definition;
  const single = (i: number) => isSinglePoint(bounds[i]!.intervals);
  const fixed = new Set(
    fields.filter((_, i) => single(i) && index.multikey[i] !== true).map((field) => field.path),
  );
  let reversed: boolean | undefined;
  let mergeFrom = 0;
  let started = false;
  let at = 0;
  for (const { path, descending } of sort) {
    if (fixed.has(path)) continue;
    while (at < fields.length && fields[at]!.path !== path) {
      if (!single(at)) {
        if (started || !bounds[at]!.isPoints) return undefined;
        mergeFrom = at + 1;
      }
      at++;
    }
    const field = fields[at];
    if (field === undefined) return undefined;
    if (index.multikey[at] === true && (mergeFrom > 0 || !givesSortPosition(index, at, bounds))) {
      return undefined;
    }
    const backwards = field.descending !== descending;
    if (reversed !== undefined && reversed !== backwards) return undefined;
    reversed = backwards;
    started = true;
    at++;
  }
  return { reversed: reversed ?? false, mergeFrom };
}

/** A document with an array has several keys. Only a scan of all keys gives its sort position. */
function givesSortPosition(index: IndexTable, at: number, bounds: readonly FieldBounds[]): boolean {
  const { fields, sparse } = index.definition;
  const isDotted = fields[at]!.components.length > 1;
  return isWhole(bounds[at]!.intervals) && !(sparse && isDotted);
}

function rangesOf(bounds: readonly FieldBounds[], mergeFrom: number): KeyRange[] {
  let prefixes = [{ bytes: Buffer.alloc(0), prefixBytes: 0 }];
  const ranges: KeyRange[] = [];
  for (const [i, { intervals, isPoints }] of bounds.entries()) {
    if (!isPoints) {
      for (const { bytes, prefixBytes } of prefixes) {
        for (const { low, high } of intervals) {
          const from = boundBytes(low, bytes);
          ranges.push({ low: from, high: boundBytes(high, bytes), prefixBytes });
        }
      }
      return ranges;
    }
    prefixes = prefixes.flatMap(({ bytes, prefixBytes }) =>
      intervals.map(({ low }) => {
        const longer = Buffer.concat([bytes, low.bytes]);
        return { bytes: longer, prefixBytes: i < mergeFrom ? longer.length : prefixBytes };
      }),
    );
  }
  for (const { bytes, prefixBytes } of prefixes) {
    ranges.push({ low: bytes, high: Buffer.concat([bytes, maxByte]), prefixBytes });
  }
  return ranges;
}
