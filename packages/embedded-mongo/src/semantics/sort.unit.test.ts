import { serialize } from "bson";
import { expect, test } from "vitest";
import { distinctValues } from "./distinct.ts";
import { indexTuples, indexValues } from "./index-values.ts";
import { sortDocuments } from "./sort.ts";
import { decode } from "./values/codec/codec.ts";
import type { Document } from "./values/document.ts";

const read = (document: object): Document => decode(serialize(document));
const sorted = (documents: object[], sort: Document) =>
  sortDocuments(documents.map(read), sort).map((document) => document["a"]);

test.each<[object, string, unknown[]]>([
  [{}, "a", [null]],
  [{ a: 1 }, "a", [1]],
  [{ a: [1, 2, 1] }, "a", [1, 2]],
  [{ a: [] }, "a", [undefined]],
  [{ a: [] }, "a.b", [null]],
  [{ a: 5 }, "a.b", [null]],
  [{ a: [[1, 2], 3] }, "a", [3, [1, 2]]],
  [{ a: [{ b: 1 }, { b: [2, 3] }, {}, 5] }, "a.b", [null, 1, 2, 3]],
  [{ a: [[{ b: 1 }]] }, "a.b", [null]],
  [{ a: [[1, 2], 3] }, "a.0", [1, 2]],
  [{ a: [{ b: 1 }, { b: 2 }] }, "a.1.b", [2]],
])("the index values of %j on %s are %j", (document, path, values) => {
  expect(indexValues(read(document), path)).toEqual(values);
});

test("paths through the same array form tuples per element", () => {
  expect(indexTuples(read({ x: 0, a: [{ b: 1, c: 2 }, { b: 3 }] }), ["x", "a.b", "a.c"])).toEqual([
    [0, 1, 2],
    [0, 3, null],
  ]);
});

test("an index on two arrays of one document is refused", () => {
  expect(() => indexTuples(read({ a: [1], b: [] }), ["a", "b"])).toThrow(
    expect.objectContaining({ code: 171 }),
  );
});

test("an array sorts by its smallest element, or by its largest when descending", () => {
  const documents = [{ a: [5, 1] }, { a: 3 }, { a: [2] }];
  expect(sorted(documents, { a: 1 })).toEqual([[5, 1], [2], 3]);
  expect(sorted(documents, { a: -1 })).toEqual([[5, 1], 3, [2]]);
});

test("an empty array sorts below null, and a missing field sorts as null", () => {
  expect(sorted([{ a: 1 }, {}, { a: null }, { a: [] }], { a: 1 })).toEqual([
    [],
    undefined,
    null,
    1,
  ]);
});

test("documents with equal sort keys keep their order", () => {
  expect(
    sorted(
      [
        { a: 1, b: 2 },
        { a: 2, b: 1 },
        { a: 3, b: 2 },
      ],
      { b: 1 },
    ),
  ).toEqual([2, 1, 3]);
});

test("a sort by parallel arrays is refused", () => {
  expect(() => sorted([{ a: [1], b: [1] }], { a: 1, b: 1 })).toThrow(
    expect.objectContaining({ code: 2 }),
  );
});

test("an invalid sort is refused", () => {
  expect(() => sorted([], { a: 2 })).toThrow(expect.objectContaining({ code: 15975 }));
  expect(() => sorted([], { a: "x" })).toThrow(expect.objectContaining({ code: 15974 }));
  expect(() => sorted([], { a: { $meta: "textScore" } })).toThrow("$meta");
});

test("distinctValues returns array elements and treats equal numbers of different types as one", () => {
  const documents = [{ a: [1, [2]] }, { a: 1 }, { a: { b: 3 } }, {}, { a: null }].map(read);
  expect(distinctValues(documents, "a")).toEqual([null, 1, { b: 3 }, [2]]);
  expect(distinctValues(documents, "a.b")).toEqual([3]);
  expect(distinctValues(documents, "a.0")).toEqual([1]);
});
