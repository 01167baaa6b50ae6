import { Buffer } from "node:buffer";
import type { IndexTable } from "../storage/index-table.ts";
import { afterAll, boundBytes, descend, intersect, isPoint, wholeOrder } from "./bounds.ts";
import type { Interval } from "./bounds.ts";
import type { IndexPlan, KeyRange, OtherElements, SortField } from "./plan.ts";
import type { Predicate, Predicates } from "./predicates.ts";

/** More combinations of `$in` values than this are left to the filter. */
const rangesMax = 100_000;
const mergedRangesMax = 200;

export type Candidate = {
  readonly plan: IndexPlan;
  /** Fields that are fixed to one value or a few. */
  readonly pointFields: number;
  readonly rangeField: boolean;
};

type FieldBounds = {
  readonly intervals: readonly Interval[];
  readonly points: boolean;
  readonly used: readonly Predicate[];
};

const variantsMax = 8;

/**
 * Several conditions may each fix an element of an array, but only one can bound the keys: one
 * candidate for each.
 */
export function candidatesOf(
  index: IndexTable,
  predicates: Predicates,
  sort: readonly SortField[] | undefined,
): [Candidate, ...Candidate[]] {
  const { fields } = index.definition;
  const array = fields.find((_, i) => index.multikey[i] === true);
  const rivals = predicates.all.filter(
    ({ path, group, intervals }) => path === array?.path && group === 0 && isSinglePoint(intervals),
  );
  const [first, ...others] = rivals.length > 1 ? rivals.slice(0, variantsMax) : [undefined];
  const bounding = (rival: Predicate | undefined): Candidate => {
    if (rival === undefined) return candidateOf(index, predicates, sort);
    const rest = predicates.all.filter((one) => one !== rival);
    return candidateOf(index, { ...predicates, all: [rival, ...rest] }, sort);
  };
  return [bounding(first), ...others.map(bounding)];
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
  const pointFields = countLeading(bounds, (field) => field.points);
  const unused = predicates.all.filter((one) => !used.has(one));
  const points = pointFields === bounds.length && index.definition.unique;
  const mayBeOthers = !points && unused.length > 0;
  const others = mayBeOthers ? otherElements(index, bounds, unused) : undefined;
  const plan: IndexPlan = {
    kind: "index",
    index,
    ranges,
    descending: sorted && order.reversed,
    merged: merged && sorted,
    sorted,
    others,
    exact: predicates.complete && unused.length === (others?.prefixes.length ?? 0),
    repeats: bounds.some(
      (field, i) => index.multikey[i] === true && !isSinglePoint(field.intervals),
    ),
    points,
    bounds: bounds.map((field) => field.intervals),
  };
  const next = bounds[pointFields];
  return { plan, pointFields, rangeField: next !== undefined && !isWhole(next.intervals) };
}

/**
 * An array's document has a key for each element, and all of them are alike but for the element: what
 * is not in the ranges is told by the other keys, without the document.
 */
function otherElements(
  { definition, multikey }: IndexTable,
  bounds: readonly FieldBounds[],
  unused: readonly Predicate[],
): OtherElements | undefined {
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
      keyUpTo([...before, array.descending ? descend(intervals) : intervals]),
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

/** The bounds of each field; only fields after fixed ones can be bounded. */
function boundsOfFields(index: IndexTable, predicates: Predicates): FieldBounds[] {
  const unbounded: FieldBounds = { intervals: [wholeOrder], points: false, used: [] };
  let open = true;
  let combinations = 1;
  let arrayGroup: number | undefined;
  return index.definition.fields.map((field, i) => {
    if (!open || field.components.some((component) => /^\d+$/.test(component))) {
      open = false;
      return unbounded;
    }
    const multikey = index.multikey[i] === true;
    let usable = predicates.all.filter((one) => one.path === field.path && isTold(index, one));
    if (multikey) {
      // Different elements may meet different conditions: only one can bound the keys, unless all
      // are on the same element.
      usable = bestOf(usable, arrayGroup);
      if (usable.length > 0) arrayGroup ??= usable[0]!.group;
    }
    if (usable.length === 0) {
      open = false;
      return unbounded;
    }
    const intervals = usable.reduce(
      (met: readonly Interval[], one) => intersect(met, one.intervals),
      [wholeOrder],
    );
    const points = intervals.every(isPoint);
    combinations *= Math.max(1, intervals.length);
    if (combinations > rangesMax) {
      open = false;
      return unbounded;
    }
    open = points;
    const ordered = field.descending ? descend(intervals) : intervals;
    return { intervals: ordered, points, used: usable };
  });
}

/** Whether a document that meets the condition has a key that tells so. */
function isTold(index: IndexTable, { present, notNull }: Predicate): boolean {
  if (!index.isMultikey) return true;
  return notNull !== true && (present || !index.definition.sparse);
}

function bestOf(usable: readonly Predicate[], arrayGroup: number | undefined): Predicate[] {
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
  /** Fields before this one have several values each, whose ranges must be merged; 0 for none. */
  readonly mergeFrom: number;
};

/** How this index gives the order of the sort, if it does. */
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
        if (started || !bounds[at]!.points) return undefined;
        mergeFrom = at + 1;
      }
      at++;
    }
    const field = fields[at];
    if (field === undefined) return undefined;
    if (index.multikey[at] === true && (mergeFrom > 0 || !tellsPlace(index, at, bounds))) {
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

/** A document with an array stands under several keys; only all of them tell its place. */
function tellsPlace(index: IndexTable, at: number, bounds: readonly FieldBounds[]): boolean {
  const { fields, sparse } = index.definition;
  const isDotted = fields[at]!.components.length > 1;
  return isWhole(bounds[at]!.intervals) && !(sparse && isDotted);
}

function rangesOf(bounds: readonly FieldBounds[], mergeFrom: number): KeyRange[] {
  let prefixes = [{ bytes: Buffer.alloc(0), prefixBytes: 0 }];
  const ranges: KeyRange[] = [];
  for (const [i, { intervals, points }] of bounds.entries()) {
    if (!points) {
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
    ranges.push({ low: bytes, high: Buffer.concat([bytes, afterAll]), prefixBytes });
  }
  return ranges;
}
