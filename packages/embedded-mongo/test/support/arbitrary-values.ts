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
  Timestamp,
} from "bson";
import fc from "fast-check";

/*
 * Random BSON values in the classes of the driver. Each type draws from few values, so that equal
 * and adjacent values are frequent.
 */

const integers = [0, 1, -1, 2, 7, 2 ** 31 - 1, -(2 ** 31)];
const longs = ["0", "1", "-1", "9007199254740993", "9223372036854775807", "-9223372036854775808"];
const doubles = [0, -0, 1, -1, 0.1, 2.5, 1e300, 5e-324, 2 ** 53, 2 ** 63, NaN, Infinity, -Infinity];
const decimals = [
  "0",
  "-0",
  "1",
  "1.0",
  "0.1",
  "-2.5",
  "9007199254740993",
  "1E+6111",
  "1E-6176",
  "NaN",
  "Infinity",
  "-Infinity",
  "12345678901234567890.12345",
];

export const numbers = fc.oneof(
  fc.constantFrom(...integers).map((value) => new Int32(value)),
  fc.constantFrom(...longs).map((text) => Long.fromString(text)),
  fc.maxSafeInteger().map((value) => Long.fromNumber(value)),
  fc.constantFrom(...doubles).map((value) => new Double(value)),
  fc.double().map((value) => new Double(value)),
  fc.constantFrom(...decimals).map((text) => Decimal128.fromString(text)),
);

export const texts = fc.oneof(
  fc.constantFrom("", "a", "b", "ab", "\u0000", "a\u0000b", "é", "\uffff", "😀", "\ue000"),
  fc.string({ unit: "binary", maxLength: 6 }),
);

const bytes = fc.uint8Array({ maxLength: 5 });

export const scalars = fc.oneof(
  { weight: 4, arbitrary: numbers },
  { weight: 3, arbitrary: texts },
  fc.constant(null),
  fc.boolean(),
  fc.constantFrom(new Date(0), new Date(-1), new Date(1), new Date(8.64e15), new Date(1.7e12)),
  fc.uint8Array({ minLength: 12, maxLength: 12 }).map((id) => new ObjectId(id)),
  fc.tuple(bytes, fc.constantFrom(0, 4, 128)).map(([data, subtype]) => new Binary(data, subtype)),
  fc
    .tuple(fc.constantFrom(0, 1, 2 ** 32 - 1), fc.constantFrom(0, 1))
    .map(([t, i]) => new Timestamp({ t, i })),
  fc
    .tuple(fc.constantFrom("a", "b"), fc.constantFrom("", "i"))
    .map(([pattern, flags]) => new BSONRegExp(pattern, flags)),
  fc.constantFrom(new MinKey(), new MaxKey()),
  fc.constantFrom(new Code("f"), new Code("f", { a: 1 })),
);

export const fieldNames = fc.constantFrom(
  "a",
  "b",
  "c",
  "0",
  "1",
  "10",
  "constructor",
  "__proto__",
  "_bsontype",
  "toBSON",
  "é",
  "$x",
  "",
);

/** Documents as maps, which keep every field name and its order. */
function documentsOf(values: fc.Arbitrary<unknown>): fc.Arbitrary<Map<string, unknown>> {
  return fc
    .uniqueArray(fc.tuple(fieldNames, values), { maxLength: 4, selector: ([name]) => name })
    .map((fields) => new Map(fields));
}

export const values: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 5, arbitrary: scalars },
    { weight: 1, arbitrary: fc.array(tie("value"), { maxLength: 3 }) },
    { weight: 1, arbitrary: documentsOf(tie("value")) },
  ),
})).value;

export const documents = documentsOf(values);

/**
 * Small documents with few names and values, so that common paths, arrays and equal values are
 * frequent.
 */
const smallScalars = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<unknown>(0, 1, 2, 3, "x", "xy", "y", null) },
  fc.constantFrom<unknown>(
    new Double(1),
    Long.fromNumber(2),
    Decimal128.fromString("2.0"),
    1.5,
    true,
    new Date(0),
    NaN,
  ),
);
const smallValues: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    { weight: 5, arbitrary: smallScalars },
    { weight: 2, arbitrary: fc.array(tie("value"), { maxLength: 3 }) },
    {
      weight: 2,
      arbitrary: fc.dictionary(fc.constantFrom("b", "c"), tie("value"), {
        maxKeys: 2,
        noNullPrototype: true,
      }),
    },
  ),
})).value;

export const smallDocuments = fc.dictionary(fc.constantFrom("a", "b", "c"), smallValues, {
  maxKeys: 3,
  noNullPrototype: true,
});

/** Paths that name fields only. */
export const fieldPaths = fc.constantFrom("a", "b", "c", "a.b", "a.c", "b.c", "a.b.c");

/** Paths of fields, some with array positions. */
export const smallPaths = fc.oneof(
  { weight: 7, arbitrary: fieldPaths },
  fc.constantFrom("a.0", "b.1.c"),
);

const ranges = fc.constantFrom("$eq", "$gt", "$gte", "$lt", "$lte", "$ne");
const condition: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: smallScalars },
  {
    weight: 3,
    arbitrary: fc.tuple(ranges, smallScalars).map(([operator, value]) => ({ [operator]: value })),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(smallScalars, smallScalars)
      .map(([low, high]) => ({ $gte: low, $lt: high })),
  },
  { weight: 2, arbitrary: fc.array(smallScalars, { maxLength: 3 }).map((list) => ({ $in: list })) },
  {
    weight: 1,
    arbitrary: fc.array(smallScalars, { maxLength: 2 }).map((list) => ({ $nin: list })),
  },
  { weight: 1, arbitrary: smallValues.filter((value) => !isOperators(value)) },
  fc.boolean().map((exists) => ({ $exists: exists })),
  fc
    .constantFrom("int", "double", "long", "string", "array", "object", "null", "number")
    .map((type) => ({ $type: type })),
  fc.tuple(ranges, smallScalars).map(([operator, value]) => ({ $not: { [operator]: value } })),
  fc
    .tuple(ranges, smallScalars)
    .map(([operator, value]) => ({ $elemMatch: { [operator]: value } })),
  fc
    .tuple(fc.constantFrom("b", "c"), smallScalars)
    .map(([name, value]) => ({ $elemMatch: { [name]: value } })),
  {
    weight: 3,
    arbitrary: fc
      .array(smallScalars, { minLength: 1, maxLength: 3 })
      .map((list) => ({ $all: list })),
  },
  fc.nat(3).map((size) => ({ $size: size })),
  fc.constantFrom<unknown>(/^x/, /^xy/, /y/, { $regex: "^x" }, { $regex: "^X", $options: "i" }),
);

function isOperators(value: unknown): boolean {
  return (
    typeof value === "object" && value !== null && (Object.keys(value)[0] ?? "").startsWith("$")
  );
}

const clauses = fc.dictionary(smallPaths, condition, { maxKeys: 2, noNullPrototype: true });

export const smallFilters: fc.Arbitrary<Record<string, unknown>> = fc.oneof(
  { weight: 5, arbitrary: clauses },
  fc.array(clauses, { minLength: 1, maxLength: 3 }).map((list) => ({ $or: list })),
  fc.array(clauses, { minLength: 1, maxLength: 2 }).map((list) => ({ $and: list })),
  fc.array(clauses, { minLength: 1, maxLength: 2 }).map((list) => ({ $nor: list })),
  fc
    .tuple(clauses, fc.array(clauses, { minLength: 1, maxLength: 2 }))
    .map(([one, list]) => ({ ...one, $or: list })),
);

export const smallSorts = fc.dictionary(
  fc.constantFrom("a", "b", "c", "a.b", "_id"),
  fc.constantFrom<1 | -1>(1, -1),
  { minKeys: 1, maxKeys: 2, noNullPrototype: true },
);
