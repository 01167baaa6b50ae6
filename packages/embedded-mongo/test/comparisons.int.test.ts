import {
  Binary,
  Decimal128,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
} from "mongodb";
import type { Collection, Document } from "mongodb";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { testServer } from "./support/server.ts";
import type { TestServer } from "./support/server.ts";

/* Comparisons must find the same documents with and without an index, whatever the values are. */

const numbers: readonly unknown[] = [
  new Double(Number.NaN),
  Decimal128.fromString("NaN"),
  new Double(Number.NEGATIVE_INFINITY),
  Decimal128.fromString("-Infinity"),
  Long.MIN_VALUE,
  new Double(-1.5),
  new Int32(-1),
  new Double(-0),
  Decimal128.fromString("-0"),
  new Int32(0),
  new Double(5e-324),
  Decimal128.fromString("1E-6176"),
  Decimal128.fromString("0.1"),
  new Double(0.1),
  new Int32(1),
  Long.fromNumber(1),
  Decimal128.fromString("1.0"),
  new Double(2 ** 53),
  Long.fromString("9007199254740993"),
  Long.MAX_VALUE,
  new Double(2 ** 63),
  Decimal128.fromString("9E+6144"),
  new Double(Number.POSITIVE_INFINITY),
  Decimal128.fromString("Infinity"),
];
const others: readonly unknown[] = [
  null,
  new MinKey(),
  new MaxKey(),
  "",
  "a",
  "b",
  { b: 1 },
  {},
  false,
  true,
  new Date(-1),
  new Date(0),
  new ObjectId("000000000000000000000000"),
  new Binary(Buffer.from([1]), 0),
  new Timestamp({ t: 0, i: 0 }),
  /a/,
];
const scalars = [...numbers, ...others];
const nan = numbers[0];
const arrays: readonly unknown[] = [
  [],
  [[]],
  [null],
  [nan],
  [nan, 1],
  [Number.POSITIVE_INFINITY, nan],
  [Number.NEGATIVE_INFINITY, "a"],
  [-1, 5],
  [[1, 2], 3],
  [{ b: 1 }, 0],
  ["a", null, true],
];

const operators = ["$eq", "$ne", "$gt", "$gte", "$lt", "$lte"] as const;
/** Each index with the condition on its fields before `a`. The filter is then decided by keys alone. */
const indexes: readonly { readonly key: Record<string, 1 | -1>; readonly fixed: Document }[] = [
  { key: { a: 1 }, fixed: {} },
  { key: { a: -1 }, fixed: {} },
  { key: { same: 1, a: 1 }, fixed: { same: 1 } },
];

let at: TestServer;
beforeAll(async () => {
  at = await testServer();
});
afterAll(() => at.stop());

/** Stores one document for each value, one without the field, and the indexes. */
async function fill(name: string, stored: readonly unknown[]): Promise<Collection> {
  const collection = at.client.db("comparisons").collection(name);
  await collection.insertMany([{ same: 1 }, ...stored.map((value) => ({ same: 1, a: value }))]);
  for (const { key } of indexes) await collection.createIndex(key);
  return collection;
}

const ids = async (collection: Collection, filter: Document, hint: Document) => {
  const found = await collection.find(filter, { hint, projection: { _id: 1 } }).toArray();
  return found.map(({ _id }) => String(_id)).toSorted();
};

/** Compares a find and a count through each index with a scan. */
async function expectAgreement(collection: Collection, condition: unknown): Promise<void> {
  const scanned = ids(collection, { a: condition }, { $natural: 1 });
  const throughIndexes = indexes.map(async ({ key: hint, fixed }) => {
    const filter = { ...fixed, a: condition };
    const count = collection.countDocuments(filter, { hint });
    return { condition, hint, found: await ids(collection, filter, hint), count: await count };
  });
  const found = await scanned;
  expect(await Promise.all(throughIndexes)).toEqual(
    indexes.map(({ key: hint }) => ({ condition, hint, found, count: found.length })),
  );
}

describe.each([
  ["scalars", scalars, scalars],
  ["scalars and arrays", [...scalars, ...arrays], [...arrays, nan, 0, 1, "a", null]],
])("on %s", (name, stored, operands) => {
  let collection: Collection;
  beforeAll(async () => {
    collection = await fill(name, stored);
  });

  test.each(operators)("%s finds the same through every index as a scan", async (operator) => {
    for (const operand of operands) {
      // A pattern is an operand of equality only.
      if (operand instanceof RegExp && operator !== "$eq") continue;
      await expectAgreement(collection, { [operator]: operand });
    }
  });

  test("combined conditions find the same through every index as a scan", async () => {
    const operand = fc.constantFrom(...stored.filter((value) => !(value instanceof RegExp)));
    const list = fc.array(operand, { minLength: 1, maxLength: 3 });
    const range = fc
      .tuple(fc.constantFrom("$gt", "$gte"), operand, fc.constantFrom("$lt", "$lte"), operand)
      .map(([low, from, high, to]) => ({ [low]: from, [high]: to }));
    const condition = fc.oneof(
      range,
      range.map((inner) => ({ $not: inner })),
      range.map((inner) => ({ $elemMatch: inner })),
      list.map((values) => ({ $in: values })),
      list.map((values) => ({ $nin: values })),
      list.map((values) => ({ $all: values })),
    );
    await fc.assert(
      fc.asyncProperty(condition, (given) => expectAgreement(collection, given)),
      { seed: 20_261_122, numRuns: 40 },
    );
  });
});

describe("NaN", () => {
  let collection: Collection;
  const infinity = Number.POSITIVE_INFINITY;
  beforeAll(async () => {
    collection = await fill("only numbers", [nan, -infinity, -1, -0, 0, 1, infinity]);
  });

  const notANumber = ["NaN"];
  const below = ["-Infinity", "-1"];
  const all = [...below, "0", "0", "1", "Infinity"];
  // As MongoDB answers. NaN equals itself, and compares with no number.
  test.each<[string, unknown, readonly string[]]>([
    ["$lt", 0, below],
    ["$lte", 0, [...below, "0", "0"]],
    ["$gt", 0, ["1", "Infinity"]],
    ["$gte", 0, ["0", "0", "1", "Infinity"]],
    ["$lt", -infinity, []],
    ["$lte", -infinity, ["-Infinity"]],
    ["$gte", -infinity, all],
    ["$lte", infinity, all],
    ["$lt", Number.NaN, []],
    ["$gt", Number.NaN, []],
    ["$lte", Number.NaN, notANumber],
    ["$gte", Number.NaN, notANumber],
    ["$eq", Number.NaN, notANumber],
    ["$in", [Number.NaN, 1], ["NaN", "1"]],
    ["$lte", Decimal128.fromString("NaN"), notANumber],
    ["$lt", Decimal128.fromString("0"), below],
  ])("{ %s: %s } finds %j through every index", async (operator, operand, expected) => {
    const scan = { key: { $natural: 1 }, fixed: {} };
    for (const { key: hint, fixed } of [scan, ...indexes]) {
      const filter: Document = { ...fixed, a: { [operator]: operand } };
      const found = await collection.find(filter, { hint }).toArray();
      expect(found.map(({ a }) => String(a)).toSorted()).toEqual(expected.toSorted());
      expect(await collection.countDocuments(filter, { hint })).toBe(expected.length);
    }
  });

  test("NaN sorts below all numbers, through an index and without one", async () => {
    for (const hint of [{ $natural: 1 }, { a: 1 }, { a: -1 }]) {
      const found = collection.find({ a: { $exists: true } }, { hint }).sort({ a: 1 });
      expect((await found.toArray()).map(({ a }) => String(a))).toEqual([...notANumber, ...all]);
    }
  });
});
