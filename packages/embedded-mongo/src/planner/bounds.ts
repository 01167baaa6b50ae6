import { Buffer } from "node:buffer";
import { bsonType } from "../bson/raw-document.ts";
import type { RawValue } from "../bson/raw-document.ts";
import { KeyWriter, order, orderOfType } from "../indexes/key-writer.ts";

/** A position in the key order: before or after all keys that begin with `bytes`. */
export type Bound = { readonly bytes: Buffer; readonly after: boolean };

/** All keys of one field between two positions, in ascending order. */
export type Interval = { readonly low: Bound; readonly high: Bound };

const writer = new KeyWriter();
const nothing = Buffer.alloc(0);
/**
 * No key contains this byte at the start of a value, so a prefix followed by it is above all keys
 * of the prefix.
 */
export const maxByte = Buffer.from([0xff]);

export const unboundedInterval: Interval = {
  low: { bytes: nothing, after: false },
  high: { bytes: nothing, after: true },
};

export function keyOfValue(value: RawValue): Buffer {
  writer.reset();
  writer.value(value);
  return writer.copyBytes();
}

export const nullKey = Buffer.from([order.null]);
export const emptyArrayKey = Buffer.from([order.undefined]);

export function pointInterval(key: Buffer): Interval {
  return { low: { bytes: key, after: false }, high: { bytes: key, after: true } };
}

export function isPoint(interval: Interval): boolean {
  const { low, high } = interval;
  if (low.after || !high.after || low.bytes.length === 0) return false;
  return low.bytes === high.bytes || low.bytes.equals(high.bytes);
}

const notANumberKey = Buffer.from([order.number, 0, 0, 0, 0, 0, 0, 0, 0, 0]);

export type Comparison = "$lt" | "$lte" | "$gt" | "$gte";

/** The values on one side of `value`, of the same type: comparisons do not cross types. */
export function comparisonRange(comparison: Comparison, value: RawValue): Interval {
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

/** All keys that begin with these bytes. Unlike a point, the interval does not fix one value. */
export function prefixRange(bytes: Buffer): Interval {
  const end = Buffer.concat([bytes, maxByte]);
  return { low: { bytes, after: false }, high: { bytes: end, after: false } };
}

/** The strings that begin with `prefix`. */
export function stringPrefixRange(prefix: string): Interval {
  const value = Buffer.concat([Buffer.alloc(4), Buffer.from(prefix), Buffer.alloc(1)]);
  const key = keyOfValue({ bytes: value, type: bsonType.string, start: 0, end: value.length });
  return prefixRange(key.subarray(0, -1));
}

/** Everything except one key. */
export function complementOf(key: Buffer): Interval[] {
  return [
    { low: unboundedInterval.low, high: { bytes: key, after: false } },
    { low: { bytes: key, after: true }, high: unboundedInterval.high },
  ];
}

export function compareBounds(a: Bound, b: Bound): number {
  const shared = Math.min(a.bytes.length, b.bytes.length);
  for (let i = 0; i < shared; i += 1) {
    const order = a.bytes[i]! - b.bytes[i]!;
    if (order !== 0) return order;
  }
  if (a.bytes.length === b.bytes.length) return Number(a.after) - Number(b.after);
  // One is a prefix of the other. The shorter bound is before or after all keys with that prefix.
  if (a.bytes.length < b.bytes.length) return a.after ? 1 : -1;
  return b.after ? -1 : 1;
}

/** The bytes of a bound for the comparison with complete keys. */
export function boundBytes(bound: Bound, prefix: Buffer = nothing): Buffer {
  const bytes = prefix.length === 0 ? bound.bytes : Buffer.concat([prefix, bound.bytes]);
  return bound.after ? nextKey(bytes) : bytes;
}

/**
 * The lowest bytes above all keys that begin with `bytes`. Appending the highest byte is not
 * enough: in a descending field the end of a string is written as that byte.
 */
function nextKey(bytes: Buffer): Buffer {
  const last = bytes.findLastIndex((byte) => byte !== maxByte[0]);
  if (last === -1) return Buffer.concat([bytes, maxByte]);
  const next = Buffer.from(bytes.subarray(0, last + 1));
  next[last]! += 1;
  return next;
}

/** Intersects two sorted lists of intervals without overlaps. */
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

/** Returns the union, sorted and without overlaps. */
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

/** The same values in the key order of a descending field. */
export function toDescending(intervals: readonly Interval[]): Interval[] {
  return intervals
    .map(({ low, high }) => ({
      low: { bytes: invertBytes(high.bytes), after: !high.after },
      high: { bytes: invertBytes(low.bytes), after: !low.after },
    }))
    .toReversed();
}

function invertBytes(bytes: Buffer): Buffer {
  return Buffer.from(bytes.map((byte) => ~byte & 0xff));
}
