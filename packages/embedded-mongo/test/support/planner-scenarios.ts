import fc from "fast-check";
import type { Document } from "../../src/semantics/index.ts";
import { fieldPaths, smallDocuments, smallFilters, smallSorts } from "./arbitrary-values.ts";

/* Random indexes, documents and steps, for `runScenario`. */

const indexKeys = fc.uniqueArray(fc.tuple(fieldPaths, fc.constantFrom<1 | -1>(1, -1)), {
  minLength: 1,
  maxLength: 3,
  selector: ([path]) => path,
});
const indexes = fc.record({
  key: indexKeys,
  kind: fc.constantFrom(
    "plain",
    "plain",
    "sparse",
    "partial",
    "unique",
    "uniqueSparse",
    "uniquePartial",
  ),
});

const updates: fc.Arbitrary<Document> = fc.oneof(
  fc
    .tuple(fieldPaths, smallDocuments)
    .map(([path, source]) => ({ $set: { [path]: source["a"] ?? 5 } })),
  fieldPaths.map((path) => ({ $unset: { [path]: 1 } })),
  fc.tuple(fieldPaths, fc.constantFrom(1, 2)).map(([path, by]) => ({ $inc: { [path]: by } })),
  fc
    .tuple(fieldPaths, fc.constantFrom<unknown>(1, "x", null))
    .map(([path, value]) => ({ $push: { [path]: value } })),
  fc
    .tuple(fieldPaths, fc.constantFrom<unknown>(1, "x"))
    .map(([path, value]) => ({ $addToSet: { [path]: value } })),
  fc
    .tuple(fieldPaths, fc.constantFrom<unknown>(1, { $gt: 0 }))
    .map(([path, value]) => ({ $pull: { [path]: value } })),
  fieldPaths.map((path) => ({ $pop: { [path]: 1 } })),
  fc.tuple(fieldPaths, fieldPaths).map(([from, to]) => ({ $rename: { [from]: to } })),
  fc
    .tuple(fieldPaths, fc.constantFrom<unknown>(1, "x", null))
    .map(([path, value]) => ({ $min: { [path]: value } })),
  fieldPaths.map((path) => ({ $set: { [`${path}.$[]`]: 3 } })),
  fieldPaths.map((path) => ({ $set: { [`${path}.$`]: 7 } })),
);

const ways = fc.constantFrom("upsert" as const, "findAndModify" as const);

const pipelines: fc.Arbitrary<Document[]> = fc
  .tuple(
    smallFilters.map((filter) => ({ $match: filter })),
    fc.subarray<Document>([
      { $sort: { _id: -1 } },
      { $limit: 5 },
      { $unwind: { path: "$a", preserveNullAndEmptyArrays: true } },
      { $addFields: { c: { $ifNull: ["$a", "$b", "none"] } } },
      { $match: { c: { $ne: null } } },
      {
        $project: {
          a: 1,
          n: { $cond: [{ $isArray: "$c" }, { $size: { $ifNull: ["$c", []] } }, -1] },
        },
      },
      { $group: { _id: "$a", count: { $sum: 1 }, all: { $addToSet: "$n" } } },
      { $sort: { count: 1, _id: 1 } },
    ]),
  )
  .map(([match, rest]) => [match, ...rest]);

const steps = fc.oneof(
  {
    weight: 2,
    arbitrary: smallDocuments.map((document) => ({ kind: "insert" as const, document })),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("update" as const),
      filter: smallFilters,
      update: updates,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: ways, filter: smallFilters, update: updates, last: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: pipelines.map((pipeline) => ({ kind: "aggregate" as const, pipeline })),
  },
  { weight: 1, arbitrary: smallFilters.map((filter) => ({ kind: "delete" as const, filter })) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("find" as const),
      filter: smallFilters,
      sort: fc.option(smallSorts, { nil: undefined }),
      skip: fc.nat(2),
      limit: fc.nat(4),
    }),
  },
);

export const scenarios = fc.record({
  indexes: fc.array(indexes, { maxLength: 3 }),
  documents: fc.array(smallDocuments, { minLength: 1, maxLength: 12 }),
  steps: fc.array(steps, { minLength: 1, maxLength: 12 }),
});

export type Scenario = typeof scenarios extends fc.Arbitrary<infer Value> ? Value : never;
export type Step = Scenario["steps"][number];
export type Index = Scenario["indexes"][number];
