// Longer than 300 lines, because its tables of cases form one list of documented behaviour of
// MongoDB.
import { Double, Long, serialize } from "bson";
import fc from "fast-check";
import { expect, test } from "vitest";
import { smallDocuments, smallSorts } from "../../../test/support/arbitrary-values.ts";
import { compileFilter } from "../filter/compile.ts";
import { sortDocuments } from "../sort.ts";
import { decode, encode } from "../values/codec/codec.ts";
import type { Document } from "../values/document.ts";
import { compileAggregation, compilePipeline } from "./compile.ts";

const read = (document: object): Document => decode(serialize(document));
const documents = [
  { _id: 1, g: "a", n: 1, arr: [1, 2] },
  { _id: 2, g: "b", n: 2.5, arr: [] },
  { _id: 3, g: "a", n: Long.fromNumber(5) },
  { _id: 4, n: "x", arr: 7 },
].map(read);
const others = [
  { _id: 1, k: "a", v: 1 },
  { _id: 2, k: ["b", "c"], v: 2 },
  { _id: 3, v: 3 },
].map(read);

const context = {
  now: new Date(0),
  read: (_collection: string, filter: Document) =>
    others.filter((one) => compileFilter(filter).matches(one)),
};
const run = (...stages: Document[]) =>
  [...compilePipeline(stages, context)(documents)].map((document) => decode(encode(document)));

test.each<[string, Document[], object[]]>([
  ["$match", [{ $match: { g: "b" } }, { $project: { n: 1 } }], [{ _id: 2, n: 2.5 }]],
  [
    "$group",
    [
      { $match: { g: "a" } },
      {
        $group: {
          _id: "$g",
          sum: { $sum: "$n" },
          count: { $sum: 1 },
          avg: { $avg: "$n" },
          ids: { $push: "$_id" },
          max: { $max: "$n" },
          first: { $first: "$n" },
        },
      },
    ],
    [
      {
        _id: "a",
        sum: Long.fromNumber(6),
        count: 2,
        avg: new Double(3),
        ids: [1, 3],
        max: Long.fromNumber(5),
        first: 1,
      },
    ],
  ],
  [
    "some of many",
    [
      {
        $group: {
          _id: null,
          firstN: { $firstN: { input: "$g", n: 3 } },
          lastN: { $lastN: { input: "$g", n: 2 } },
          minN: { $minN: { input: "$_id", n: 1 } },
          maxN: { $maxN: { input: "$_id", n: { $add: [1, 1] } } },
          top: { $top: { sortBy: { _id: -1 }, output: "$_id" } },
          topN: { $topN: { sortBy: { g: 1, _id: 1 }, output: ["$_id", "$g"], n: 2 } },
          bottom: { $bottom: { sortBy: { _id: 1 }, output: "$zz" } },
          bottomN: { $bottomN: { sortBy: { _id: 1 }, output: "$_id", n: 1 } },
        },
      },
    ],
    [
      {
        _id: null,
        firstN: ["a", "b", "a"],
        lastN: ["a", null],
        minN: [1],
        maxN: [4, 3],
        top: 4,
        topN: [
          [4, null],
          [1, "a"],
        ],
        bottom: null,
        bottomN: [4],
      },
    ],
  ],
  [
    "$group by nothing",
    [{ $group: { _id: null, n: { $sum: "$n" }, c: { $count: {} } } }],
    [{ _id: null, n: 8.5, c: 4 }],
  ],
  ["missing and null are one group", [{ $group: { _id: "$zz" } }], [{ _id: null }]],
  [
    "$unwind",
    [{ $unwind: "$arr" }, { $project: { arr: 1 } }],
    [
      { _id: 1, arr: 1 },
      { _id: 1, arr: 2 },
      { _id: 4, arr: 7 },
    ],
  ],
  [
    "$unwind keeping all",
    [
      { $unwind: { path: "$arr", preserveNullAndEmptyArrays: true, includeArrayIndex: "i" } },
      { $project: { i: 1 } },
    ],
    [
      { _id: 1, i: Long.fromNumber(0) },
      { _id: 1, i: Long.fromNumber(1) },
      { _id: 2, i: null },
      { _id: 3, i: null },
      { _id: 4, i: null },
    ],
  ],
  [
    "$sort and $limit",
    [{ $sort: { _id: -1 } }, { $limit: 2 }, { $project: { _id: 1 } }],
    [{ _id: 4 }, { _id: 3 }],
  ],
  ["$skip after $limit", [{ $limit: 3 }, { $skip: 2 }, { $project: { _id: 1 } }], [{ _id: 3 }]],
  [
    "$addFields",
    [{ $limit: 1 }, { $addFields: { "q.r": "$g", n: "$$REMOVE" } }],
    [{ _id: 1, g: "a", arr: [1, 2], q: { r: "a" } }],
  ],
  ["$unset", [{ $limit: 1 }, { $unset: ["g", "arr"] }], [{ _id: 1, n: 1 }]],
  ["$replaceRoot", [{ $limit: 1 }, { $replaceRoot: { newRoot: { x: "$n" } } }], [{ x: 1 }]],
  ["$count", [{ $count: "total" }], [{ total: 4 }]],
  ["$count of nothing", [{ $match: { zz: 1 } }, { $count: "total" }], []],
  ["$sortByCount", [{ $sortByCount: "$g" }, { $limit: 1 }], [{ _id: "a", count: 2 }]],
  [
    "$bucket",
    [{ $bucket: { groupBy: "$_id", boundaries: [1, 3], default: "rest" } }],
    [
      { _id: 1, count: 2 },
      { _id: "rest", count: 2 },
    ],
  ],
  [
    "$facet",
    [{ $facet: { n: [{ $count: "c" }], one: [{ $limit: 1 }, { $project: { _id: 1 } }] } }],
    [{ n: [{ c: 4 }], one: [{ _id: 1 }] }],
  ],
  [
    "$lookup by fields",
    [
      { $limit: 2 },
      { $lookup: { from: "o", localField: "g", foreignField: "k", as: "o" } },
      { $project: { "o.v": 1 } },
    ],
    [
      { _id: 1, o: [{ v: 1 }] },
      { _id: 2, o: [{ v: 2 }] },
    ],
  ],
  [
    "$lookup of missing finds missing",
    [
      { $match: { _id: 4 } },
      { $lookup: { from: "o", localField: "g", foreignField: "k", as: "o" } },
      { $project: { "o.v": 1 } },
    ],
    [{ _id: 4, o: [{ v: 3 }] }],
  ],
  [
    "$lookup by pipeline",
    [
      { $limit: 1 },
      {
        $lookup: {
          from: "o",
          let: { id: "$_id" },
          pipeline: [{ $match: { $expr: { $gt: ["$_id", "$$id"] } } }, { $count: "n" }],
          as: "o",
        },
      },
      { $project: { o: 1 } },
    ],
    [{ _id: 1, o: [{ n: 2 }] }],
  ],
  [
    "$unionWith",
    [
      { $limit: 1 },
      { $unionWith: { coll: "o", pipeline: [{ $limit: 1 }] } },
      { $project: { _id: 1 } },
    ],
    [{ _id: 1 }, { _id: 1 }],
  ],
  [
    "$redact",
    [{ $redact: { $cond: [{ $eq: ["$g", "b"] }, "$$KEEP", "$$PRUNE"] } }, { $project: { _id: 1 } }],
    [{ _id: 2 }],
  ],
  ["$sample", [{ $sample: { size: 2 } }, { $count: "n" }], [{ n: 2 }]],
])("%s", (_name, stages, expected) => {
  expect(run(...stages)).toEqual(expected.map(read));
});

test.each<[Document[], number, string]>([
  [[{ $foo: 1 }], 40324, "Unrecognized pipeline stage name: '$foo'"],
  [[{ $out: "x" }], 40324, "$out is not supported"],
  [[{ $merge: "x" }], 40324, "$merge is not supported"],
  [[{ $match: {}, $limit: 1 }], 40323, "exactly one field"],
  [[{ $group: {} }], 15955, "must include an _id"],
  [[{ $group: { _id: 1, x: 1 } }], 40234, "must be an accumulator object"],
  [[{ $group: { _id: 1, x: { $foo: 1 } } }], 15952, "unknown group operator '$foo'"],
  [[{ $limit: 0 }], 15958, "positive"],
  [[{ $skip: -1 }], 15956, "non-negative"],
  [[{ $unwind: "a" }], 28818, "prefixed with a '$'"],
  [[{ $unwind: { path: "$a", foo: 1 } }], 28811, "unrecognized option"],
  [[{ $project: {} }], 51272, "at least one field"],
  [[{ $lookup: { from: "x", as: "y" } }], 9, "$lookup requires"],
  [[{ $lookup: { from: "x", as: "y", localField: "a", foreignField: "b", foo: 1 } }], 9, "foo"],
  [[{ $facet: { a: [{ $out: "x" }] } }], 40324, "$out"],
  [[{ $lookup: { from: "x", as: "y", pipeline: [{ $foo: 1 }] } }], 40324, "$foo"],
  [[{ $bucket: { groupBy: "$n", boundaries: [2, 1] } }], 40194, "ascending"],
  [[{ $count: "$x" }], 40158, "$-prefixed"],
  [[{ $sort: {} }], 15976, "at least one sort key"],
])("the pipeline %j is refused with code %i", (stages, code, message) => {
  expect(() => run(...stages)).toThrow(
    expect.objectContaining({ code, message: expect.stringContaining(message) as string }),
  );
});

test("compileAggregation splits the leading stages of a pipeline into a find", () => {
  const { leading, run: rest } = compileAggregation(
    [
      { $match: { a: 1 } },
      { $match: { b: 2 } },
      { $sort: { a: -1 } },
      { $skip: 1 },
      { $limit: 5 },
      { $count: "n" },
    ],
    context,
  );
  expect(leading).toEqual({
    filter: { $and: [{ a: 1 }, { b: 2 }] },
    sort: { a: -1 },
    skip: 1,
    limit: 5,
  });
  expect([...rest(documents)]).toEqual([{ n: 4 }]);
});

test("a sort with a limit gives the first documents of a full sort", () => {
  fc.assert(
    fc.property(
      fc.array(smallDocuments, { maxLength: 400 }),
      smallSorts,
      fc.integer({ min: 1, max: 5 }),
      (raw, sort, limit) => {
        const given = raw.map((document, index) => read({ ...document, c: index }));
        let expected: Document[];
        try {
          expected = sortDocuments(given, sort);
        } catch {
          return;
        }
        const stage = compilePipeline([{ $sort: sort }, { $limit: limit }], context);
        expect([...stage(given)]).toEqual(expected.slice(0, limit));
      },
    ),
    { numRuns: 100 },
  );
});

const repeated = (inner: unknown, initialValue: unknown, rounds = 5000) => [
  { $limit: 1 },
  { $project: { x: { $reduce: { input: { $range: [0, rounds] }, initialValue, in: inner } } } },
];

test.each<[string, Document[], number]>([
  ["nesting", repeated(["$$value"], 1), 15],
  ["doubling arrays", repeated({ $concatArrays: ["$$value", "$$value"] }, [1]), 10334],
  ["doubling text", repeated({ $concat: ["$$value", "$$value"] }, "ab"), 10334],
])("%s without a limit is refused", (_name, stages, code) => {
  expect(() => run(...stages)).toThrow(expect.objectContaining({ code }));
});

test.each<[string, Document[]]>([
  ["$sort", [{ $addFields: { x: 1 } }, { $sort: { n: 1 } }]],
  ["$group", [{ $group: { _id: null, all: { $push: "$$ROOT" } } }]],
  ["$group by text", [{ $group: { _id: { $concat: ["$text", { $toString: "$n" }] } } }]],
  ["$facet", [{ $facet: { all: [{ $limit: 1 }] } }]],
])("%s stays within the memory limit", (_name, stages) => {
  const text = "x".repeat(1_000_000);
  function* many(): Iterable<Document> {
    for (let n = 0; n < 200; n += 1) yield { n, text };
  }
  const stage = compilePipeline(stages, context);
  expect(() => [...stage(many())]).toThrow(expect.objectContaining({ code: 292 }));
  const bounded = compilePipeline(
    [{ $sort: { n: -1 } }, { $limit: 3 }, { $project: { n: 1 } }],
    context,
  );
  expect([...bounded(many())]).toEqual([{ n: 199 }, { n: 198 }, { n: 197 }]);
});
