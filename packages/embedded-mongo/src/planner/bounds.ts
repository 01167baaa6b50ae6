import { Buffer } from "node:buffer";
import { bsonType } from "../bson/raw-document.ts";
import type { RawValue } from "../bson/raw-document.ts";
import { KeyWriter, order, orderOfType } from "../indexes/key-writer.ts";

/** A place in the order of keys: before or after all keys that begin with these bytes. */
export type Bound = { readonly bytes: Buffer; readonly after: boolean };

/** All keys from one place to another, of one field, ascending. */
export type Interval = { readonly low: Bound; readonly high: Bound };

const writer = new KeyWriter();
const nothing = Buffer.alloc(0);
/** No key goes on with this byte, so that it ends whatever begins with what stands before it. */
export const afterAll = Buffer.from([0xff]);

export const wholeOrder: Interval = {
  low: { bytes: nothing, after: false },
  high: { bytes: nothing, after: true },
};

export function keyOfValue(value: RawValue): Buffer {
  writer.reset();
  writer.value(value);
  return writer.take();
}

export const nullKey = Buffer.from([order.null]);
export const emptyArrayKey = Buffer.from([order.undefined]);

export function pointAt(key: Buffer): Interval {
  return { low: { bytes: key, after: false }, high: { bytes: key, after: true } };
}

export function isPoint(interval: Interval): boolean {
  const { low, high } = interval;
  if (low.after || !high.after || low.bytes.length === 0) return false;
  return low.bytes === high.bytes || low.bytes.equals(high.bytes);
}

const notANumberKey = Buffer.from([order.number, 0, 0, 0, 0, 0, 0, 0, 0, 0]);

export type Comparison = "$lt" | "$lte" | "$gt" | "$gte";

/** Values of the same type on one side of `value`; comparisons do not cross types. */
export function rangeFrom(comparison: Comparison, value: RawValue): Interval {
  const key = keyOfValue(value);
  const bracket = Buffer.from([orderOfType[value.type]!]);
  if (comparison === "$gt" || comparison === "$gte") {
    return {
      low: { bytes: key, after: comparison === "$gt" },
      high: { bytes: bracket, after: true },
    };
  }
  const low =
    bracket[0] === order.number
      ? { bytes: notANumberKey, after: true }
      : { bytes: bracket, after: false };
  return { low, high: { bytes: key, after: comparison === "$lte" } };
}

/** Whatever begins with these bytes; unlike a point, it fixes no value. */
export function startingWith(bytes: Buffer): Interval {
  const end = Buffer.concat([bytes, afterAll]);
  return { low: { bytes, after: false }, high: { bytes: end, after: false } };
}

/** Strings that begin with `prefix`. */
export function stringsWith(prefix: string): Interval {
  const value = Buffer.concat([Buffer.alloc(4), Buffer.from(prefix), Buffer.alloc(1)]);
  const key = keyOfValue({ bytes: value, type: bsonType.string, start: 0, end: value.length });
  return startingWith(key.subarray(0, -1));
}

/** Everything but one key. */
export function complementOf(key: Buffer): Interval[] {
  return [
    { low: wholeOrder.low, high: { bytes: key, after: false } },
    { low: { bytes: key, after: true }, high: wholeOrder.high },
  ];
}

export function compareBounds(a: Bound, b: Bound): number {
  const shared = Math.min(a.bytes.length, b.bytes.length);
  for (let i = 0; i < shared; i += 1) {
    const order = a.bytes[i]! - b.bytes[i]!;
    if (order !== 0) return order;
  }
  if (a.bytes.length === b.bytes.length) return Number(a.after) - Number(b.after);
  // One begins with the other: the shorter is before or after everything that begins with it.
  if (a.bytes.length < b.bytes.length) return a.after ? 1 : -1;
  return b.after ? -1 : 1;
}

/** Where a bound lies among whole keys, as bytes. */
export function boundBytes(bound: Bound, prefix: Buffer = nothing): Buffer {
  const bytes = prefix.length === 0 ? bound.bytes : Buffer.concat([prefix, bound.bytes]);
  return bound.after ? firstAfter(bytes) : bytes;
}

/**
 * The first place after all that begins with these bytes. In a descending field the end of a string
 * is written as the highest byte, so that no byte put behind them would do.
 */
function firstAfter(bytes: Buffer): Buffer {
  const last = bytes.findLastIndex((byte) => byte !== afterAll[0]);
  if (last === -1) return Buffer.concat([bytes, afterAll]);
  const next = Buffer.from(bytes.subarray(0, last + 1));
  next[last]! += 1;
  return next;
}

/** Of two sorted lists without overlaps. */
export function intersect(a: readonly Interval[], b: readonly Interval[]): Interval[] {
  const both: Interval[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    const one = a[i]!;
    const other = b[j]!;
    const low = compareBounds(one.low, other.low) >= 0 ? one.low : other.low;
    const oneEndsFirst = compareBounds(one.high, other.high) <= 0;
    const high = oneEndsFirst ? one.high : other.high;
    if (compareBounds(low, high) < 0) both.push({ low, high });
    if (oneEndsFirst) i++;
    else j++;
  }
  return both;
}

/** Sorted, without overlaps. */
export function unite(intervals: readonly Interval[]): Interval[] {
  const united: Interval[] = [];
  for (const next of intervals.toSorted((a, b) => compareBounds(a.low, b.low))) {
    const last = united.at(-1);
    if (last === undefined || compareBounds(next.low, last.high) >= 0) united.push(next);
    else if (compareBounds(next.high, last.high) > 0) {
      united[united.length - 1] = { low: last.low, high: next.high };
    }
  }
  return united;
}

/** The same values as a descending field of an index has them. */
export function descend(intervals: readonly Interval[]): Interval[] {
  return intervals
    .map(({ low, high }) => ({
      low: { bytes: inverted(high.bytes), after: !high.after },
      high: { bytes: inverted(low.bytes), after: !low.after },
    }))
    .toReversed();
}

function inverted(bytes: Buffer): Buffer {
  return Buffer.from(bytes.map((byte) => ~byte & 0xff));
}
