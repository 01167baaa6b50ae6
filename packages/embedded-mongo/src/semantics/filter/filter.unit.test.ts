// Longer than 300 lines, because its tables of cases form one list of documented behaviour of
// MongoDB.
import { BSONRegExp, Decimal128, Double, Long, MaxKey, MinKey, ObjectId, serialize } from "bson";
import fc from "fast-check";
import { Query } from "mingo";
import { describe, expect, test } from "vitest";
import { MongoError } from "../../errors.ts";
import {
  fieldPaths,
  smallDocuments,
  smallFilters,
  smallPaths,
  values,
} from "../../../test/support/arbitrary-values.ts";
import { indexValues } from "../index-values.ts";
import { decode } from "../values/codec/codec.ts";
import { compareBson, equalBson } from "../values/comparison/compare.ts";
import { isNaNNumber } from "../values/numbers/numbers.ts";
import { typeName, typeOrder } from "../values/types.ts";
import type { Document } from "../values/document.ts";
import { compileFilter } from "./compile.ts";
import { isOperatorDocument } from "./operators.ts";

const read = (document: object): Document => decode(serialize(document));
const ranges = fc.constantFrom("$lt", "$lte", "$gt", "$gte", "$eq");
const matches = (filter: Document, document: object) =>
  compileFilter(filter).matches(read(document));

function refusal(filter: Document): { code: number; message: string } {
  try {
    compileFilter(filter);
  } catch (error) {
    if (!(error instanceof MongoError)) throw error;
    return { code: error.code, message: error.message };
  }
  throw new Error("expected a refusal");
}

const shapes: Record<string, object> = {
  no_a: {},
  null: { a: null },
  number: { a: 4 },
  empty_object: { a: {} },
  b_null: { a: { b: null } },
  b_text: { a: { b: "hi" } },
  double_array: { a: [[]] },
  empty_array: { a: [] },
  objects_all_null: { a: [{ b: null }, {}] },
  objects_no_null: { a: [{ b: 1 }, { b: "s" }] },
  objects_some_null: { a: [{ b: null }, { b: 3 }] },
  objects_some_missing: { a: [{ b: 3 }, {}] },
  values_all_null: { a: [null, null] },
  values_no_null: { a: [1, "s", 4] },
  values_some_null: { a: [1, null] },
};
const matching = (filter: Document) =>
  Object.entries(shapes).flatMap(([name, shape]) => (matches(filter, shape) ? [name] : []));

describe("null and missing", () => {
  test("an equality with null matches null and missing fields", () => {
    expect(matching({ a: null })).toEqual(["no_a", "null", "values_all_null", "values_some_null"]);
  });
  test("$exists: false matches missing fields only", () => {
    expect(matching({ a: { $exists: false } })).toEqual(["no_a"]);
  });
  test("$gte null matches the same documents as equality with null", () => {
    expect(matching({ a: { $gte: null } })).toEqual(matching({ a: null }));
    expect(matching({ a: { $gt: null } })).toEqual([]);
  });
  test("a dotted path is missing in a scalar, but inside an array only in documents", () => {
    expect(matching({ "a.b": null })).toEqual([
      "no_a",
      "null",
      "number",
      "empty_object",
      "b_null",
      "objects_all_null",
      "objects_some_null",
      "objects_some_missing",
    ]);
  });
  test("$ne null matches exactly the documents that equality does not match", () => {
    const equal = matching({ "a.b": null });
    expect(matching({ "a.b": { $ne: null } })).toEqual(
      Object.keys(shapes).filter((name) => !equal.includes(name)),
    );
  });
  test("$elemMatch matches arrays only", () => {
    expect(matching({ a: { $elemMatch: { $eq: null } } })).toEqual([
      "values_all_null",
      "values_some_null",
    ]);
    expect(matching({ a: { $elemMatch: { b: null } } })).toEqual([
      "double_array",
      "objects_all_null",
      "objects_some_null",
      "objects_some_missing",
    ]);
    expect(matching({ "a.b": { $elemMatch: { $ne: null } } })).toEqual([]);
  });
  test("$in with null matches missing fields", () => {
    expect(matching({ a: { $in: [null, 4] } })).toEqual([
      "no_a",
      "null",
      "number",
      "values_all_null",
      "values_no_null",
      "values_some_null",
    ]);
  });
});

test.each<[string, Document, object, boolean]>([
  ["numbers of all types are equal", { a: 1 }, { a: Long.fromNumber(1) }, true],
  ["", { a: Decimal128.fromString("1.0") }, { a: 1 }, true],
  ["", { a: { $in: [1] } }, { a: new Double(1) }, true],
  ["a range holds within a type", { a: { $gt: 1 } }, { a: "x" }, false],
  ["", { a: { $lt: "b" } }, { a: 1 }, false],
  ["", { a: { $gt: new Date(0) } }, { a: 5 }, false],
  ["MinKey and MaxKey range over all types", { a: { $gt: new MinKey() } }, { a: "x" }, true],
  ["", { a: { $lt: new MaxKey() } }, { a: {} }, true],
  ["NaN is in no range but its own", { a: { $lt: 1 } }, { a: NaN }, false],
  ["", { a: { $gte: NaN } }, { a: NaN }, true],
  ["", { a: { $gt: -1 } }, { a: NaN }, false],
  ["", { a: NaN }, { a: NaN }, true],
  ["an array matches by element or as a whole", { a: 2 }, { a: [1, 2] }, true],
  ["", { a: [1, 2] }, { a: [1, 2] }, true],
  ["", { a: [1, 2] }, { a: [[1, 2]] }, true],
  ["", { a: [2, 1] }, { a: [1, 2] }, false],
  ["", { a: 1 }, { a: [[1]] }, false],
  ["each condition may take its own element", { a: { $gt: 5, $lt: 3 } }, { a: [1, 9] }, true],
  ["$elemMatch wants one for all", { a: { $elemMatch: { $gt: 5, $lt: 3 } } }, { a: [1, 9] }, false],
  ["documents equal with their field order", { a: { x: 1, y: 2 } }, { a: { y: 2, x: 1 } }, false],
  ["", { a: { x: 1 } }, { a: { x: 1, y: 2 } }, false],
  ["", { a: { x: 1 } }, { a: { x: new Double(1) } }, true],
  ["a position names an element", { "a.1": 2 }, { a: [1, 2] }, true],
  ["which is not expanded", { "a.1": 2 }, { a: [1, [2]] }, false],
  ["", { "a.1": [2] }, { a: [1, [2]] }, true],
  ["a number may also name a field", { "a.1": 4 }, { a: [{ "1": 4 }] }, true],
  ["", { "a.0.b": 4 }, { a: [[{ b: 4 }]] }, true],
  ["", { "a.b": 4 }, { a: [[{ b: 4 }]] }, false],
  ["$type looks into arrays", { a: { $type: "string" } }, { a: [1, "x"] }, true],
  ["", { a: { $type: "array" } }, { a: [] }, true],
  ["", { a: { $type: "int" } }, { a: new Double(1) }, false],
  ["", { a: { $type: 1 } }, { a: new Double(1) }, true],
  ["", { a: { $type: "number" } }, { a: Long.fromNumber(1) }, true],
  ["", { a: { $type: ["null", "bool"] } }, {}, false],
  ["$exists", { a: { $exists: true } }, { a: null }, true],
  ["", { a: { $exists: 0 } }, { a: null }, false],
  ["$size", { a: { $size: 2 } }, { a: [1, [2]] }, true],
  ["", { a: { $size: 0 } }, {}, false],
  ["$all", { a: { $all: [1, 2] } }, { a: [2, 1, 3] }, true],
  ["", { a: { $all: [] } }, { a: [] }, false],
  ["", { a: { $all: [[1]] } }, { a: [[1]] }, true],
  [
    "",
    { a: { $all: [{ $elemMatch: { x: 1 } }, { $elemMatch: { x: 2 } }] } },
    { a: [{ x: 1 }, { x: 2 }] },
    true,
  ],
  ["$mod", { a: { $mod: [3, -1] } }, { a: -4 }, true],
  ["", { a: { $mod: [2, 0] } }, { a: 4.7 }, true],
  ["$not takes missing", { a: { $not: { $gt: 1 } } }, {}, true],
  ["$nin", { a: { $nin: [1, null] } }, {}, false],
  ["$nor", { $nor: [{ a: 1 }, { b: 1 }] }, { a: 2 }, true],
  ["a regular expression matches text", { a: /^X/i }, { a: ["b", "xy"] }, true],
  ["and itself", { a: /x/ }, { a: new BSONRegExp("x") }, true],
  ["", { a: { $in: [/^x/] } }, { a: "xy" }, true],
  ["", { a: { $regex: "a b #c", $options: "x" } }, { a: "ab" }, true],
  ["", { a: { $not: /x/ } }, { a: "x" }, false],
  ["bits", { a: { $bitsAllSet: [0, 2] } }, { a: 5 }, true],
  ["", { a: { $bitsAnyClear: 4 } }, { a: 5 }, false],
  ["", { a: { $bitsAllSet: [63] } }, { a: -1 }, true],
  ["$comment changes nothing", { a: { $eq: 1, $comment: "x" }, $comment: "y" }, { a: 1 }, true],
  ["names of JavaScript are names", { constructor: { $exists: true } }, {}, false],
  ["", { "a.__proto__": null }, { a: { b: 1 } }, true],
  ["", { "x.10": 1 }, { x: { "10": 1 } }, true],
  ["$expr compares over types", { $expr: { $lt: ["$a", "x"] } }, { a: 5 }, true],
  [
    "ids",
    { a: new ObjectId("65a000000000000000000001") },
    { a: new ObjectId("65a000000000000000000001") },
    true,
  ],
  [
    "a DBRef is a document",
    { a: { $ref: "c", $id: 1 } },
    {
      a: new Map<string, unknown>([
        ["$ref", "c"],
        ["$id", 1],
      ]),
    },
    true,
  ],
])("%s %j", (_why, filter, document, expected) => {
  expect(matches(filter, document)).toBe(expected);
});

test.each<[Document, number, string]>([
  [{ a: { $foo: 1 } }, 2, "unknown operator: $foo"],
  [{ $foo: 1 }, 2, "unknown top level operator: $foo"],
  [{ a: { $gt: 1, b: 2 } }, 2, "unknown operator: b"],
  [{ a: { $in: 1 } }, 2, "$in needs an array"],
  [{ a: { $in: [{ $gt: 1 }] } }, 2, "cannot nest $ under $in"],
  [{ $or: {} }, 2, "$or must be an array"],
  [{ $and: [] }, 2, "$and must be a nonempty array"],
  [{ $nor: [1] }, 2, "$or/$and/$nor entries need to be full objects"],
  [{ a: { $not: 1 } }, 2, "$not needs a regex or a document"],
  [{ a: { $not: {} } }, 2, "$not cannot be empty"],
  [{ a: { $size: "x" } }, 9, "$size"],
  [{ a: { $size: -1 } }, 9, "$size"],
  [{ a: { $mod: [0, 1] } }, 2, "divisor cannot be 0"],
  [{ a: { $mod: [1] } }, 2, "malformed mod, not enough elements"],
  [{ a: { $type: "foo" } }, 2, "Unknown type name alias: foo"],
  [{ a: { $all: 1 } }, 2, "$all needs an array"],
  [{ a: { $elemMatch: 1 } }, 2, "$elemMatch needs an Object"],
  [{ a: { $options: "i" } }, 2, "$options needs a $regex"],
  [{ a: { $regex: "(" } }, 51091, "Regular expression is invalid"],
  [{ a: { $regex: "(?>a)" } }, 51091, "not supported"],
  [{ a: { $regex: "a", $options: "q" } }, 51108, "invalid flag"],
  [{ a: { $gt: /x/ } }, 2, "Can't have RegEx as arg to predicate over field 'a'."],
  [{ $where: "1" }, 2, "$where is not supported"],
  [{ $text: { $search: "x" } }, 2, "$text is not supported"],
  [{ a: { $near: [0, 0] } }, 2, "$near is not supported"],
  [{ $jsonSchema: {} }, 2, "$jsonSchema is not supported"],
  [{ $expr: { $foo: 1 } }, 168, "Unrecognized expression '$foo'"],
])("the filter %j is refused with code %i", (filter, code, message) => {
  expect(refusal(filter)).toEqual({ code, message: expect.stringContaining(message) as string });
});

test("a regular expression with excessive backtracking finishes", () => {
  expect(matches({ a: /^(a+)+$/ }, { a: `${"a".repeat(40)}b` })).toBe(false);
});

test("a filter that is nested too deeply is refused", () => {
  let filter: Document = { a: 1 };
  for (let depth = 0; depth < 150; depth += 1) filter = { $and: [filter] };
  expect(refusal(filter)).toMatchObject({ code: 2 });
});

test("the index values of a document contain every value that equality matches", () => {
  fc.assert(
    fc.property(smallDocuments, fieldPaths, smallDocuments, (raw, path, other) => {
      const document = read(raw);
      const value = read(other)["a"] ?? null;
      if (!compileFilter({ [path]: { $eq: value } }).matches(document)) return;
      const held = indexValues(document, path);
      // An equality with an array is found by its first element, or as an empty array.
      const wanted = Array.isArray(value) ? [value, value[0]] : [value];
      expect(held.some((one) => wanted.some((want) => equalBson(one, want)))).toBe(true);
    }),
    { numRuns: 3000 },
  );
});

test("$nor negates $or, $nin negates $in, and $not negates its condition", () => {
  fc.assert(
    fc.property(smallDocuments, smallFilters, smallPaths, (raw, filter, path) => {
      const document = read(raw);
      const holds = (one: Document) => compileFilter(one).matches(document);
      expect(holds({ $nor: [filter] })).toBe(!holds(filter));
      expect(holds({ $and: [filter, { $nor: [filter] }] })).toBe(false);
      expect(holds({ [path]: { $ne: 1 } })).toBe(!holds({ [path]: 1 }));
      expect(holds({ [path]: { $nin: [1, null] } })).toBe(
        !holds({ $or: [{ [path]: 1 }, { [path]: null }] }),
      );
    }),
    { numRuns: 3000 },
  );
});

/** The same filter for documents that are nested in the field `w`. */
function nested(filter: Document): Document {
  return Object.fromEntries(
    Object.entries(filter).map(([name, operand]) =>
      name.startsWith("$") ? [name, (operand as Document[]).map(nested)] : [`w.${name}`, operand],
    ),
  );
}

test("the fast paths for top-level fields and numbers match the same documents as the general path", () => {
  fc.assert(
    fc.property(smallDocuments, smallFilters, fieldPaths, (document, filter, path) => {
      expect(matches(nested(filter), { w: document })).toBe(matches(filter, document));
      expect(indexValues(read({ w: document }), `w.${path}`)).toEqual(
        indexValues(read(document), path),
      );
    }),
    { numRuns: 3000 },
  );
  fc.assert(
    fc.property(values, values, ranges, (left, right, operator) => {
      const [a, b] = [read({ v: left })["v"], read({ v: right })["v"]];
      fc.pre(typeOrder(a) === typeOrder(b) && !isNaNNumber(a) && !isNaNNumber(b));
      fc.pre(!isOperatorDocument(b));
      fc.pre(!["array", "null", "regex"].includes(typeName(a)));
      const order = compareBson(a, b);
      const holds = {
        $lt: order < 0,
        $lte: order <= 0,
        $gt: order > 0,
        $gte: order >= 0,
        $eq: order === 0,
      };
      expect(matches({ v: { [operator]: b } }, { v: left })).toBe(holds[operator]);
      expect(matches({ v: { $in: [b] } }, { v: left })).toBe(order === 0);
    }),
    { numRuns: 5000 },
  );
});

test("the filter agrees with mingo where mingo is correct", () => {
  const plain = fc.constantFrom<unknown>(0, 1, 2, "x", "y", true, [1, 2], ["x"]);
  const plainDocuments = fc.dictionary(fc.constantFrom("a", "b"), plain, { noNullPrototype: true });
  const scalar = fc.constantFrom<unknown>(0, 1, 2, "x", "y");
  const conditions = fc.oneof(
    scalar,
    fc
      .tuple(fc.constantFrom("$eq", "$ne", "$gt", "$gte", "$lt", "$lte"), scalar)
      .map(([name, value]) => ({ [name]: value })),
    fc.array(scalar).map((list) => ({ $in: list })),
    fc.array(scalar).map((list) => ({ $nin: list })),
    fc.boolean().map((exists) => ({ $exists: exists })),
  );
  const filters = fc.dictionary(fc.constantFrom("a", "b"), conditions, { noNullPrototype: true });
  fc.assert(
    fc.property(plainDocuments, filters, (document, filter) => {
      expect(matches(filter, document)).toBe(new Query(filter as never).test(document as never));
    }),
    { numRuns: 3000 },
  );
});
