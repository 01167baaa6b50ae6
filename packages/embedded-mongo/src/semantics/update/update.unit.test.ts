// Longer than 300 lines, because its tables of cases form one list of documented behaviour of
// MongoDB.
import { Decimal128, Double, Long, ObjectId, serialize, Timestamp } from "bson";
import { expect, test } from "vitest";
import { MongoError } from "../../errors.ts";
import { decode, encode } from "../values/codec/codec.ts";
import { type Document, fieldName } from "../values/document.ts";
import { compileUpdate } from "./index.ts";
import { upsertSeed } from "./upsert.ts";

type Update = Document | Document[];
type Given = { readonly filter?: Document; readonly arrayFilters?: Document[] };

const now = new Date("2026-01-02T03:04:05.678Z");
const read = (document: object): Document => decode(serialize(document));
const text = (document: Document) => decode(encode(document));

function apply(document: object, update: Update, { filter = {}, arrayFilters }: Given = {}) {
  const before = read(document);
  const bytes = Buffer.from(encode(before));
  const after = compileUpdate(update, { arrayFilters }).apply(before, {
    filter,
    isInsert: false,
    now,
  });
  expect(Buffer.from(encode(before))).toEqual(bytes);
  return { before, after };
}

/** Applies an update that must change the document. */
function updated(document: object, update: Update, given?: Given): Document {
  const { before, after } = apply(document, update, given);
  expect(after).not.toBe(before);
  return text(after);
}

function unchanged(document: object, update: Update, given?: Given): boolean {
  const { before, after } = apply(document, update, given);
  return before === after;
}

function refusal(document: object, update: Update, given?: Given) {
  try {
    apply(document, update, given);
  } catch (error) {
    if (!(error instanceof MongoError)) throw error;
    return { code: error.code, message: error.message };
  }
  throw new Error("expected a refusal");
}

const long = (value: number | string) => Long.fromString(String(value));
const maxInt = 2 ** 31 - 1;

test.each<[string, object, Update, object, Given?]>([
  ["$set makes the documents on its way", {}, { $set: { "a.b.c": 1 } }, { a: { b: { c: 1 } } }],
  [
    "a position of a missing array is a field",
    {},
    { $set: { "a.0": 1 } },
    { a: new Map([["0", 1]]) },
  ],
  [
    "an array is filled with null up to a position",
    { a: [1] },
    { $set: { "a.3": 4 } },
    { a: [1, null, null, 4] },
  ],
  ["a field keeps its place", { a: 1, b: 2 }, { $set: { a: 3 } }, { a: 3, b: 2 }],
  [
    "new fields come in the order of their names",
    { z: 1 },
    { $set: { c: 1, a: 1 }, $inc: { b: 1 } },
    { z: 1, a: 1, b: 1, c: 1 },
  ],
  [
    "and of numbers by value",
    {},
    { $set: { "a.10": 1, "a.9": 2 } },
    {
      a: new Map([
        ["9", 2],
        ["10", 1],
      ]),
    },
  ],
  ["$set changes a type", { a: 1 }, { $set: { a: new Double(1) } }, { a: new Double(1) }],
  ["$unset of an element leaves null", { a: [1, 2] }, { $unset: { "a.0": "" } }, { a: [null, 2] }],
  ["$unset", { a: { b: 1, c: 2 } }, { $unset: { "a.b": 1 } }, { a: { c: 2 } }],
  ["int + int", { a: 1 }, { $inc: { a: 2 } }, { a: 3 }],
  ["int32 widens", { a: maxInt }, { $inc: { a: 1 } }, { a: long(maxInt + 1) }],
  ["", { a: -(2 ** 31) }, { $inc: { a: -1 } }, { a: long(-(2 ** 31) - 1) }],
  ["int + double", { a: 1 }, { $inc: { a: new Double(2) } }, { a: new Double(3) }],
  ["int + long", { a: 1 }, { $inc: { a: long(2) } }, { a: long(3) }],
  ["long + double", { a: long(1) }, { $inc: { a: 0.5 } }, { a: 1.5 }],
  [
    "decimal",
    { a: Decimal128.fromString("1.10") },
    { $inc: { a: 1 } },
    { a: Decimal128.fromString("2.10") },
  ],
  [
    "0.1 as a decimal",
    { a: Decimal128.fromString("1") },
    { $inc: { a: 0.1 } },
    { a: Decimal128.fromString("1.100000000000000") },
  ],
  ["a missing field is set", {}, { $inc: { a: long(5) } }, { a: long(5) }],
  ["$mul", { a: 65536 }, { $mul: { a: 65536 } }, { a: long(2 ** 32) }],
  ["a missing field is zero of the type", {}, { $mul: { a: long(5) } }, { a: long(0) }],
  ["", {}, { $mul: { a: 2.5 } }, { a: new Double(0) }],
  ["$min compares over types", { a: 5 }, { $min: { a: null } }, { a: null }],
  ["$max", { a: 5 }, { $max: { a: "x" } }, { a: "x" }],
  ["$min of a missing field", {}, { $min: { a: 5 } }, { a: 5 }],
  ["$currentDate", {}, { $currentDate: { a: true, b: { $type: "date" } } }, { a: now, b: now }],
  ["$bit", { a: 13 }, { $bit: { a: { and: 10 } } }, { a: 8 }],
  ["", { a: 1 }, { $bit: { a: { or: long(4) } } }, { a: long(5) }],
  ["", {}, { $bit: { a: { xor: 5 } } }, { a: 5 }],
  ["$rename moves to the end", { a: 1, b: 2 }, { $rename: { a: "c" } }, { b: 2, c: 1 }],
  ["over what is there", { a: 1, b: 2, c: 3 }, { $rename: { a: "b" } }, { b: 1, c: 3 }],
  ["into a document", { a: 1 }, { $rename: { a: "b.c" } }, { b: { c: 1 } }],
  ["$push", { a: [1] }, { $push: { a: [2] } }, { a: [1, [2]] }],
  ["", {}, { $push: { "a.b": 1 } }, { a: { b: [1] } }],
  ["with $each", { a: [1] }, { $push: { a: { $each: [2, 3] } } }, { a: [1, 2, 3] }],
  [
    "at a position",
    { a: [1, 2] },
    { $push: { a: { $each: [9], $position: 1 } } },
    { a: [1, 9, 2] },
  ],
  [
    "from the end",
    { a: [1, 2] },
    { $push: { a: { $each: [9], $position: -1 } } },
    { a: [1, 9, 2] },
  ],
  ["beyond the end", { a: [1] }, { $push: { a: { $each: [9], $position: 20 } } }, { a: [1, 9] }],
  [
    "sorted, then cut",
    { a: [5, 3] },
    { $push: { a: { $each: [4], $sort: 1, $slice: 2 } } },
    { a: [3, 4] },
  ],
  ["keeping the last", { a: [1, 2] }, { $push: { a: { $each: [3], $slice: -2 } } }, { a: [2, 3] }],
  ["keeping none", { a: [1, 2] }, { $push: { a: { $each: [3], $slice: 0 } } }, { a: [] }],
  [
    "sorted by a field",
    { a: [{ x: 2 }, { x: 3 }] },
    { $push: { a: { $each: [{ x: 1 }], $sort: { x: -1 } } } },
    { a: [{ x: 3 }, { x: 2 }, { x: 1 }] },
  ],
  ["an empty $each makes an array", {}, { $push: { a: { $each: [] } } }, { a: [] }],
  [
    "$addToSet compares by value",
    { a: [1] },
    { $addToSet: { a: { $each: [new Double(1), 2, 2] } } },
    { a: [1, 2] },
  ],
  [
    "and documents by order",
    { a: [{ x: 1, y: 2 }] },
    { $addToSet: { a: { y: 2, x: 1 } } },
    {
      a: [
        { x: 1, y: 2 },
        { y: 2, x: 1 },
      ],
    },
  ],
  ["$pop", { a: [1, 2, 3] }, { $pop: { a: 1 } }, { a: [1, 2] }],
  ["", { a: [1, 2, 3] }, { $pop: { a: -1 } }, { a: [2, 3] }],
  ["$pull of a value", { a: [1, 2, new Double(1)] }, { $pull: { a: 1 } }, { a: [2] }],
  ["of operators", { a: [1, 5, 9] }, { $pull: { a: { $gte: 5 } } }, { a: [1] }],
  [
    "of fields, whatever else there is",
    { a: [{ x: 1, y: 1 }, { x: 2 }, 1] },
    { $pull: { a: { x: 1 } } },
    { a: [{ x: 2 }, 1] },
  ],
  [
    "with operators on fields",
    { a: [{ x: [1, 2] }, { x: [3] }] },
    { $pull: { a: { x: { $in: [2] } } } },
    { a: [{ x: [3] }] },
  ],
  ["of a regular expression", { a: ["ab", "c"] }, { $pull: { a: /^a/ } }, { a: ["c"] }],
  ["of a whole array", { a: [[1], [2]] }, { $pull: { a: [1] } }, { a: [[2]] }],
  [
    "$pullAll",
    { a: [1, 2, 1, { x: 1, y: 1 }] },
    { $pullAll: { a: [1, { x: 1 }] } },
    { a: [2, { x: 1, y: 1 }] },
  ],
  [
    "the matched position",
    { a: [1, 5, 5] },
    { $set: { "a.$": 9 } },
    { a: [1, 9, 5] },
    { filter: { a: 5 } },
  ],
  [
    "by $elemMatch",
    { a: [{ x: 1 }, { x: 2, y: 1 }] },
    { $inc: { "a.$.y": 1 } },
    { a: [{ x: 1 }, { x: 2, y: 2 }] },
    { filter: { a: { $elemMatch: { x: 2, y: 1 } } } },
  ],
  [
    "by a dotted path",
    { a: [{ x: 1 }, { x: 2 }] },
    { $set: { "a.$.x": 3 } },
    { a: [{ x: 1 }, { x: 3 }] },
    { filter: { "a.x": 2 } },
  ],
  ["all elements", { a: [1, 2] }, { $mul: { "a.$[]": 2 } }, { a: [2, 4] }],
  [
    "filtered elements",
    { a: [{ x: 1 }, { x: 5 }] },
    { $set: { "a.$[e].y": 1 } },
    { a: [{ x: 1 }, { x: 5, y: 1 }] },
    { arrayFilters: [{ "e.x": { $gt: 3 } }] },
  ],
  [
    "nested",
    { a: [{ b: [1, 9] }, { b: [8] }] },
    { $set: { "a.$[].b.$[e]": 0 } },
    { a: [{ b: [1, 0] }, { b: [0] }] },
    { arrayFilters: [{ e: { $gt: 5 } }] },
  ],
  ["a replacement keeps the id, first", { _id: 1, a: 1 }, { b: 2 }, { _id: 1, b: 2 }],
  ["a pipeline", { a: 1 }, [{ $set: { b: { $add: ["$a", 1] } } }, { $unset: "a" }], { b: 2 }],
  ["a pipeline's root", { _id: 1, a: { b: 1 } }, [{ $replaceWith: "$a" }], { _id: 1, b: 1 }],
  [
    "integer-like names keep their order",
    new Map([
      ["b", 1],
      ["10", 2],
      ["2", 3],
    ]),
    { $set: { "10": 4 } },
    new Map([
      ["b", 1],
      ["10", 4],
      ["2", 3],
    ]),
  ],
  ["a field may be called like a prototype", {}, { $set: { constructor: 1 } }, { constructor: 1 }],
  ["_id may be set to itself", { _id: 1 }, { $set: { _id: 1, a: 1 } }, { _id: 1, a: 1 }],
])("%s %j %j", (_why, document, update, expected, given) => {
  const result = updated(document, update, given);
  expect(Buffer.from(encode(result)).toString("hex")).toBe(
    Buffer.from(serialize(expected)).toString("hex"),
  );
});

test.each<[object, Update, Given?]>([
  [{ a: 1 }, { $set: { a: 1 } }],
  [{ a: { b: [1, { c: null }] } }, { $set: { a: { b: [1, { c: null }] } } }],
  [{ a: NaN }, { $set: { a: NaN } }],
  [{ a: 1 }, { $inc: { a: 0 } }],
  [{ a: 1 }, { $max: { a: 0 } }],
  [{ a: 1 }, { $unset: { b: 1, "a.c": 1 } }],
  [{ a: [1] }, { $addToSet: { a: 1 } }],
  [{ a: [1] }, { $pull: { a: 2 } }],
  [{ a: [1] }, { $push: { a: { $each: [] } } }],
  [{ a: [] }, { $pop: { a: 1 } }],
  [{}, { $pop: { a: 1 } }],
  [{}, { $pull: { a: 1 } }],
  [{ a: 1 }, { $rename: { b: "c" } }],
  [{ a: 1 }, { $setOnInsert: { b: 1 } }],
  [{ a: 1 }, { $set: {} }],
  [{ a: [1] }, { $set: { "a.$[e]": 5 } }, { arrayFilters: [{ e: 3 }] }],
  [{ _id: 1, a: 1 }, { a: 1 }],
  [{ _id: 1, a: 1 }, [{ $set: { a: 1 } }]],
])("the document %j is unchanged by the update %j", (document, update, given) => {
  expect(unchanged(document, update, given)).toBe(true);
});

test.each<[object, Update, number, string, Given?]>([
  [{}, { $foo: { a: 1 } }, 9, "Unknown modifier: $foo"],
  [{}, { $set: { a: 1 }, b: 1 }, 9, "Unknown modifier: b"],
  [{}, { $set: 5 }, 9, "Modifiers operate on fields but we found type int instead"],
  [
    {},
    { $set: { a: 1 }, $inc: { a: 1 } },
    40,
    "Updating the path 'a' would create a conflict at 'a'",
  ],
  [{}, { $set: { a: 1, "a.b": 1 } }, 40, "Updating the path 'a.b' would create a conflict at 'a'"],
  [{}, { $set: { "a.b": 1, a: 1 } }, 40, "would create a conflict at 'a'"],
  [{ a: 1 }, { $rename: { a: "b" }, $set: { b: 1 } }, 40, "would create a conflict at 'b'"],
  [{ a: [{}] }, { $set: { "a.$[].x": 1, "a.0.x": 2 } }, 40, "Update created a conflict at 'a.0.x'"],
  [{ _id: 1 }, { $set: { _id: 2 } }, 66, "immutable field '_id'"],
  [{ _id: 1 }, { $unset: { _id: 1 } }, 66, "immutable field '_id'"],
  [{ _id: { a: 1 } }, { $set: { "_id.a": 2 } }, 66, "immutable field '_id'"],
  [{ _id: 1 }, { _id: 2 }, 66, "immutable"],
  [{ _id: 1 }, [{ $set: { _id: 2 } }], 66, "immutable"],
  [
    { _id: 1, a: "x" },
    { $inc: { a: 1 } },
    14,
    "Cannot apply $inc to a value of non-numeric type. {_id: 1} has the field 'a' of non-numeric type string",
  ],
  [{ a: null }, { $inc: { a: 1 } }, 14, "of non-numeric type null"],
  [{}, { $inc: { a: "x" } }, 14, 'Cannot increment with non-numeric argument: {a: "x"}'],
  [{ a: long("9223372036854775807") }, { $inc: { a: 1 } }, 2, "Failed to apply $inc"],
  [{ a: long("9223372036854775807") }, { $mul: { a: 2 } }, 2, "Failed to apply $mul"],
  [{ a: 5 }, { $set: { "a.b": 1 } }, 28, "Cannot create field 'b' in element {a: 5}"],
  [{ a: null }, { $set: { "a.b": 1 } }, 28, "Cannot create field 'b' in element {a: null}"],
  [{ a: [1] }, { $set: { "a.b": 1 } }, 28, "Cannot create field 'b' in element {a: [ 1 ]}"],
  [{ a: [] }, { $set: { "a.9999999": 1 } }, 2, "backfill"],
  [{ a: 1 }, { $push: { a: 1 } }, 2, "The field 'a' must be an array but is of type int"],
  [{}, { $push: { a: { $each: 1 } } }, 2, "The argument to $each in $push must be an array"],
  [{}, { $push: { a: { $each: [], $foo: 1 } } }, 2, "Unrecognized clause in $push: $foo"],
  [{}, { $push: { a: { $each: [], $slice: 1.5 } } }, 2, "$slice must be an integer"],
  [{}, { $push: { a: { $each: [], $sort: 2 } } }, 2, "$sort element value must be either 1 or -1"],
  [{ a: 1 }, { $addToSet: { a: 1 } }, 2, "Cannot apply $addToSet to non-array field"],
  [{ a: 1 }, { $pop: { a: 1 } }, 14, "contains an element of non-array type 'int'"],
  [{}, { $pop: { a: 2 } }, 9, "$pop expects 1 or -1, found: 2"],
  [{ a: 1 }, { $pull: { a: 1 } }, 2, "Cannot apply $pull to a non-array value"],
  [{}, { $pullAll: { a: 1 } }, 2, "$pullAll requires an array argument"],
  [{}, { $pull: { a: { $foo: 1 } } }, 2, "unknown operator: $foo"],
  [{}, { $bit: { a: { not: 1 } } }, 2, "$bit modifier only supports"],
  [{ a: 1.5 }, { $bit: { a: { or: 1 } } }, 2, "non-integral type"],
  [{}, { $currentDate: { a: 1 } }, 2, "int is not valid type for $currentDate"],
  [{}, { $currentDate: { a: { $type: "time" } } }, 2, "is required to be 'date' or 'timestamp'"],
  [{ a: [1] }, { $rename: { "a.0": "b" } }, 2, "The source field cannot be an array element"],
  [{}, { $rename: { a: 1 } }, 2, "The 'to' field for $rename must be a string"],
  [{}, { $rename: { a: "a" } }, 2, "must differ"],
  [
    { a: [1] },
    { $set: { "a.$": 1 } },
    2,
    "The positional operator did not find the match needed from the query.",
  ],
  [{}, { $set: { $: 1 } }, 2, "in the first position"],
  [{}, { $set: { "a.$.b.$": 1 } }, 2, "Too many positional"],
  [
    {},
    { $set: { "a.$[]": 1 } },
    2,
    "The path 'a' must exist in the document in order to apply array updates.",
  ],
  [{ a: 1 }, { $set: { "a.$[]": 1 } }, 2, "Cannot apply array updates to non-array element a: 1"],
  [
    { a: [] },
    { $set: { "a.$[e]": 1 } },
    2,
    "No array filter found for identifier 'e' in path 'a.$[e]'",
  ],
  [
    { a: [] },
    { $set: { a: 1 } },
    9,
    "The array filter for identifier 'e' was not used",
    { arrayFilters: [{ e: 1 }] },
  ],
  [
    { a: [] },
    { $set: { "a.$[e]": 1 } },
    9,
    "Found multiple array filters",
    { arrayFilters: [{ e: 1 }, { e: 2 }] },
  ],
  [
    { a: [] },
    { $set: { "a.$[E]": 1 } },
    2,
    "must be an alphanumeric string",
    { arrayFilters: [{ E: 1 }] },
  ],
  [{}, { $set: { "a.": 1 } }, 56, "empty field name"],
  [{}, { $set: { "a.$b": 1 } }, 52, "The dollar ($) prefixed field '$b' in 'a.$b'"],
  [{}, { a: 1, $b: 1 }, 52, "The dollar ($) prefixed field '$b'"],
  [{}, [{ $match: {} }], 72, "$match is not allowed to be used within an update"],
  [{}, [{ $foo: 1 }], 72, "$foo"],
  [{}, [{ $set: { a: { $foo: 1 } } }], 168, "Unrecognized expression '$foo'"],
  [{}, [{ $set: { a: 1 } }], 9, "arrayFilters may not be specified", { arrayFilters: [{ e: 1 }] }],
])(
  "the document %j refuses the update %j with code %i",
  (document, update, code, message, given) => {
    expect(refusal(document, update, given)).toEqual({
      code,
      message: expect.stringContaining(message) as string,
    });
  },
);

test("timestamps within one second are increasing", () => {
  const update = { $currentDate: { a: { $type: "timestamp" } } };
  const first = updated({}, update)["a"] as Timestamp;
  expect(first.lessThan(updated({}, update)["a"] as Timestamp)).toBe(true);
});

test("a replacement fills an empty top-level timestamp and keeps a nested one", () => {
  const empty = new Timestamp({ t: 0, i: 0 });
  const after = updated({ _id: 1 }, { at: empty, below: { at: empty } });
  expect((after["at"] as Timestamp).t).toBe(now.getTime() / 1000 - 0.678);
  expect(after["below"]).toEqual({ at: empty });
});

test("an update keeps the types of untouched fields", () => {
  const document = {
    i: 1,
    d: new Double(1),
    l: long(1),
    m: Decimal128.fromString("1.0"),
    z: -0,
    t: new Timestamp({ t: 1, i: 1 }),
    o: new ObjectId(),
  };
  expect(Buffer.from(encode(updated(document, { $set: { x: 1 } })))).toEqual(
    Buffer.from(serialize({ ...document, x: 1 })),
  );
});

test("an update refuses a document that is nested too deeply", () => {
  const nested = (depth: number): Document => (depth === 1 ? {} : { a: nested(depth - 1) });
  expect(
    refusal(nested(150), { $set: { [Array(140).fill("a").join(".")]: nested(80) } }),
  ).toMatchObject({ code: 15 });
});

const seed = (filter: Document) => text(upsertSeed(filter));

test.each<[Document, Document]>([
  [
    { a: 1, "b.c": 2, "b.d": 3 },
    { a: 1, b: { c: 2, d: 3 } },
  ],
  [{ a: { $eq: 1 }, b: { $gt: 1 }, c: { $in: [1, 2] } }, { a: 1 }],
  [
    { $and: [{ a: 1 }, { b: 2 }], $or: [{ c: 3 }] },
    { a: 1, b: 2, c: 3 },
  ],
  [{ $or: [{ a: 1 }, { a: 2 }], b: /x/ }, {}],
  [{ a: { $all: [1] } }, { a: 1 }],
])("an upsert with the filter %j starts from %j", (filter, expected) => {
  expect(seed(filter)).toEqual(expected);
});

test("an upsert refuses a filter that fixes a path twice", () => {
  expect(() => seed({ a: 1, $and: [{ a: 2 }] })).toThrow("path 'a' is matched twice");
  expect(() => seed({ a: {}, "a.b": 1 })).toThrow("both paths 'a' and 'a.b' are matched");
});

function insert(filter: Document, update: Update): unknown[] {
  const document = compileUpdate(update).insert(filter, now);
  return Object.keys(document).map((key) => [fieldName(key), document[key]]);
}

test("an upsert inserts the fields of the filter and the update, with _id first", () => {
  expect(insert({ b: 1 }, { $setOnInsert: { _id: 5, c: 2 }, $inc: { n: 1 } })).toEqual([
    ["_id", 5],
    ["b", 1],
    ["c", 2],
    ["n", 1],
  ]);
  expect(insert({ _id: 5, b: 1 }, { c: 2 })).toEqual([
    ["_id", 5],
    ["c", 2],
  ]);
  expect(insert({ _id: 5 }, [{ $set: { c: { $add: [1, 1] } } }])).toEqual([
    ["_id", 5],
    ["c", 2],
  ]);
  expect(() => insert({ _id: 5 }, { $set: { _id: 6 } })).toThrow("immutable");
  expect(() => insert({ a: 5 }, { $set: { "a.$": 6 } })).toThrow(
    "positional operator did not find",
  );
});

test("the positional $ uses the command's variables to find the matched element", () => {
  const filter = { a: 5, $expr: { $eq: ["$b", "$$wanted"] } };
  const update = compileUpdate({ $set: { "a.$": 0 } }, { variables: { wanted: 1 } });
  expect(update.apply(read({ a: [4, 5], b: 1 }), { filter, isInsert: false, now })["a"]).toEqual([
    4, 0,
  ]);
});
