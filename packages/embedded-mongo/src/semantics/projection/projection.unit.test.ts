import { serialize } from "bson";
import { expect, test } from "vitest";
import { decode, encode } from "../values/codec/codec.ts";
import type { Document } from "../values/document.ts";
import { compileProjection } from "./find.ts";

const document = decode(
  serialize({
    _id: 1,
    a: 1,
    b: { c: 1, d: 2 },
    arr: [1, 2, 3, 4],
    objs: [{ x: 1, y: 1 }, { x: 2, y: 2 }, 5],
  }),
);
const projected = (projection: Document, filter: Document = {}) =>
  decode(encode(compileProjection(projection, filter)(document)));

test.each<[Document, Document, Document?]>([
  [{ a: 1 }, { _id: 1, a: 1 }],
  [{ a: true, _id: 0 }, { a: 1 }],
  [
    { a: 0, arr: 0, objs: false },
    { _id: 1, b: { c: 1, d: 2 } },
  ],
  [{ _id: 1 }, { _id: 1 }],
  [{ "b.c": 1 }, { _id: 1, b: { c: 1 } }],
  [{ b: { c: 1 } }, { _id: 1, b: { c: 1 } }],
  [{ "b.z": 1 }, { _id: 1, b: {} }],
  [{ "a.z": 1 }, { _id: 1 }],
  [{ "objs.x": 1 }, { _id: 1, objs: [{ x: 1 }, { x: 2 }] }],
  [
    { "objs.x": 0, a: 0, b: 0, arr: 0 },
    { _id: 1, objs: [{ y: 1 }, { y: 2 }, 5] },
  ],
  [
    { arr: 1, a: 1 },
    { _id: 1, a: 1, arr: [1, 2, 3, 4] },
  ],
  [
    { arr: { $slice: -2 }, a: 1 },
    { _id: 1, a: 1, arr: [3, 4] },
  ],
  [
    { arr: { $slice: [1, 2] }, a: 1 },
    { _id: 1, a: 1, arr: [2, 3] },
  ],
  [
    { arr: { $slice: [-9, 2] }, _id: 1, a: 1 },
    { _id: 1, a: 1, arr: [1, 2] },
  ],
  [
    { arr: { $slice: 1 }, objs: 0, b: 0 },
    { _id: 1, a: 1, arr: [1] },
  ],
  [{ objs: { $elemMatch: { x: { $gt: 1 } } } }, { _id: 1, objs: [{ x: 2, y: 2 }] }],
  [{ objs: { $elemMatch: { x: 9 } } }, { _id: 1 }],
  [{ arr: { $elemMatch: { $gt: 2 } } }, { _id: 1, arr: [3] }],
  [{ "arr.$": 1 }, { _id: 1, arr: [3] }, { arr: { $gt: 2 } }],
  [{ "objs.$": 1 }, { _id: 1, objs: [{ x: 2, y: 2 }] }, { "objs.x": 2 }],
  [{ z: { $add: ["$a", 1] } }, { _id: 1, z: 2 }],
  [
    { z: "$b.c", a: 1 },
    { _id: 1, a: 1, z: 1 },
  ],
  [{ z: "text" }, { _id: 1, z: "text" }],
  [
    { "b.z": "$a", "b.c": 1 },
    { _id: 1, b: { c: 1, z: 1 } },
  ],
])("the projection %j gives %j", (projection, expected, filter) => {
  const result = projected(projection, filter);
  expect(result).toEqual(expected);
  expect(Object.keys(result)).toEqual(Object.keys(expected));
});

test.each<[Document, number, string]>([
  [{ a: 1, b: 0 }, 31254, "Cannot do exclusion on field b in inclusion projection"],
  [{ a: 0, b: 1 }, 31253, "Cannot do inclusion on field b in exclusion projection"],
  [{ b: 1, "b.c": 1 }, 31249, "Path collision at b.c remaining portion c"],
  [{ "b.c": 1, b: 1 }, 31250, "Path collision at b"],
  [{ a: {} }, 51270, "An empty sub-projection is not a valid value"],
  [{ a: { $foo: 1 } }, 168, "Unrecognized expression '$foo'"],
  [{ "a.$": 1, "b.$": 1 }, 31276, "more than one positional"],
  [{ "arr.$": 1 }, 51246, "couldn't find a matching element"],
  [{ a: { $meta: "x" } }, 2, "$meta"],
  [{ "b.c": { $elemMatch: { x: 1 } } }, 31275, "nested field"],
  [{ a: 0, z: { $add: [1, 1] } }, 31253, "Cannot do inclusion on field z"],
  [{ "a.": 1 }, 15998, "may not be empty"],
])("the projection %j is refused with code %i", (projection, code, message) => {
  expect(() => projected(projection)).toThrow(
    expect.objectContaining({ code, message: expect.stringContaining(message) as string }),
  );
});
