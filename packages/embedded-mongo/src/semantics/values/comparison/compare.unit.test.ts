import {
  Binary,
  BSONRegExp,
  Code,
  Decimal128,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  serialize,
  Timestamp,
} from "bson";
import fc from "fast-check";
import { expect, test } from "vitest";
import { values } from "../../../../test/support/arbitrary-values.ts";
import { decode } from "../codec/codec.ts";
import { compareBson, equalBson } from "./compare.ts";
import { groupKey } from "./group-key.ts";
import { identicalBson } from "./identical.ts";

const read = (value: unknown) => decode(serialize({ v: value }))["v"];
const stored = values.map(read);

test("compareBson sorts values of different types in BSON order", () => {
  const ascending = [
    new MinKey(),
    undefined,
    null,
    NaN,
    -Infinity,
    -1,
    0,
    1,
    Infinity,
    "",
    "a",
    {},
    [],
    new Binary(new Uint8Array(0)),
    new ObjectId("000000000000000000000000"),
    false,
    true,
    new Date(0),
    new Timestamp({ t: 0, i: 0 }),
    new BSONRegExp("a"),
    new Code("f"),
    new Code("f", {}),
    new MaxKey(),
  ];
  for (const [index, value] of ascending.entries()) {
    for (const [other, otherValue] of ascending.entries()) {
      expect(Math.sign(compareBson(value, otherValue))).toBe(Math.sign(index - other));
    }
  }
});

test.each([
  [1, new Double(1)],
  [1, 1n],
  [1, new Int32(1)],
  [1, Long.fromNumber(1)],
  [1, Decimal128.fromString("1.00")],
  [0, -0],
  [0, Decimal128.fromString("-0")],
  [NaN, Decimal128.fromString("NaN")],
  [0.5, Decimal128.fromString("0.5")],
  [2 ** 63, Decimal128.fromString("9223372036854775808")],
])("compareBson: %s equals %s", (a, b) => {
  expect(compareBson(a, b)).toBe(0);
});

test.each([
  [2 ** 53, 2n ** 53n + 1n],
  [9223372036854775807n, 2 ** 63],
  [Decimal128.fromString("0.1"), 0.1],
  [NaN, -Infinity],
  ["\uffff", "😀"],
  ["a", "a\u0000"],
  ["B", "a"],
  [{ a: 1 }, { a: 1, b: 1 }],
  [{ a: 2 }, { b: 1 }],
  [{ b: 1 }, { a: "x" }],
  [
    [1, 2],
    [1, 3],
  ],
  [[1], [1, 0]],
  [[9], ["a"]],
  [new Binary(Buffer.from([9])), new Binary(Buffer.from([1, 1]))],
  [new Binary(Buffer.from([9]), 0), new Binary(Buffer.from([1]), 5)],
  [new Timestamp({ t: 1, i: 2 }), new Timestamp({ t: 2 ** 31, i: 1 })],
])("compareBson: %s is below %s", (a, b) => {
  expect(compareBson(a, b)).toBe(-1);
  expect(compareBson(b, a)).toBe(1);
});

test("compareBson is a total order", () => {
  fc.assert(
    fc.property(stored, stored, stored, (a, b, c) => {
      expect(compareBson(a, a)).toBe(0);
      expect(Math.sign(compareBson(a, b))).toBe(0 - Math.sign(compareBson(b, a)));
      const chained = compareBson(a, b) <= 0 && compareBson(b, c) <= 0;
      expect(!chained || compareBson(a, c) <= 0).toBe(true);
    }),
    { numRuns: 3000 },
  );
});

test("two values have the same group key if and only if they are equal", () => {
  fc.assert(
    fc.property(stored, stored, (a, b) => {
      expect(groupKey(a) === groupKey(b)).toBe(equalBson(a, b));
    }),
    { numRuns: 5000 },
  );
});

test("identicalBson is true only for equal values with the same bytes", () => {
  fc.assert(
    fc.property(values, values, (a, b) => {
      const same = Buffer.from(serialize({ v: a })).equals(Buffer.from(serialize({ v: b })));
      expect(identicalBson(read(a), read(b))).toBe(same);
      expect(identicalBson(read(a), read(a))).toBe(true);
    }),
    { numRuns: 3000 },
  );
});
