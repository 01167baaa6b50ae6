import { serialize } from "bson";
import fc from "fast-check";
import { expect, test } from "vitest";
import { indexField } from "../src/indexes/definition.ts";
import type { IndexDefinition } from "../src/indexes/definition.ts";
import { extractKeys, topLevelFields } from "../src/indexes/key-extraction.ts";
import { encodeKey, KeyWriter } from "../src/indexes/key-writer.ts";
import { FieldNames } from "../src/bson/field-names.ts";
import { rawValueOf } from "../src/document-codec.ts";
import { MongoError } from "../src/errors.ts";
import { compareBson, decode, indexTuples } from "../src/semantics/index.ts";
import { documents, smallDocuments, fieldPaths, values } from "./support/arbitrary-values.ts";

const read = (value: unknown) => decode(serialize({ v: value }))["v"];
const stored = values.map(read);

test("index keys sort exactly as their values compare", () => {
  fc.assert(
    fc.property(stored, stored, (a, b) => {
      expect(Math.sign(Buffer.compare(encodeKey(a), encodeKey(b)))).toBe(compareBson(a, b));
    }),
    { numRuns: 10_000 },
  );
});

/** A path that ends in "-" gives a descending field. */
function definition(paths: readonly string[]): IndexDefinition {
  return {
    id: 1,
    name: "test",
    fields: paths.map((path) => indexField(pathOf(path), isDescending(path))),
    unique: false,
    sparse: false,
    partialFilter: undefined,
    ttlSeconds: undefined,
    specification: {},
  };
}

const isDescending = (path: string) => path.endsWith("-");
const pathOf = (path: string) => path.replace(/-$/, "");

/** The index keys of a document, or the error code. */
function keysOrError(paths: readonly string[], document: Buffer): string[] | number {
  const index = definition(paths);
  const top = topLevelFields(
    document,
    new FieldNames(paths.map((path) => pathOf(path).replace(/\..*/, ""))),
  );
  return keysOrCode(() => extractKeys(index, top).keys);
}

function keysOrCode(keys: () => readonly Buffer[]): string[] | number {
  try {
    const texts = new Set(keys().map((key) => key.toString("hex")));
    return [...texts].toSorted((a, b) => (a < b ? -1 : 1));
  } catch (error) {
    if (error instanceof MongoError) return error.code;
    throw error;
  }
}

const writer = new KeyWriter();

function tupleKey(tuple: readonly unknown[], paths: readonly string[]): Buffer {
  writer.reset();
  for (const [i, value] of tuple.entries()) {
    const descending = isDescending(paths[i] ?? "");
    if (value === undefined) writer.emptyArray(descending);
    else writer.value(rawValueOf(value), descending);
  }
  return writer.copyBytes();
}

test("extractKeys returns the entries of indexTuples and refuses the same documents", () => {
  const anyPaths = fc.uniqueArray(
    fc.tuple(fieldPaths, fc.constantFrom("", "-")).map((parts) => parts.join("")),
    { minLength: 1, maxLength: 3, selector: pathOf },
  );
  fc.assert(
    fc.property(fc.oneof(smallDocuments, documents), anyPaths, (document, paths) => {
      const bytes = Buffer.from(serialize(document));
      const expected = keysOrCode(() =>
        indexTuples(decode(bytes), paths.map(pathOf)).map((tuple) => tupleKey(tuple, paths)),
      );
      expect(keysOrError(paths, bytes)).toEqual(expected);
    }),
    { numRuns: 10_000 },
  );
});

test.each([
  { paths: ["a", "b"], document: { a: 1, b: [1, 2] }, arrays: [false, true] },
  { paths: ["a.b", "c"], document: { a: [{ b: 1 }], c: 2 }, arrays: [true, false] },
  { paths: ["a.b", "c"], document: { a: { b: [] }, c: 2 }, arrays: [true, false] },
  { paths: ["a.b", "a.c"], document: { a: [{ b: 1, c: 2 }] }, arrays: [true, true] },
])(
  "extractKeys reports which of the paths $paths crossed an array",
  ({ paths, document, arrays }) => {
    const bytes = Buffer.from(serialize(document));
    const top = topLevelFields(bytes, new FieldNames(["a", "b", "c"]));
    expect(extractKeys(definition(paths), top).arrays).toEqual(arrays);
  },
);

test.each([3, 24, 25, 300])(
  "extractKeys returns one key for each of %i distinct elements",
  (count) => {
    const elements = Array.from({ length: count }, (_, i) => `element ${i}`);
    const bytes = Buffer.from(serialize({ a: [...elements, ...elements.toReversed()], b: 1 }));
    const top = topLevelFields(bytes, new FieldNames(["a", "b"]));
    const keys = extractKeys(definition(["a", "b-"]), top).keys.map((key) => key.toString("hex"));
    expect(keys).toHaveLength(count);
    expect(new Set(keys).size).toBe(count);
  },
);
