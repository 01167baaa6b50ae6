import { serialize } from "bson";
import fc from "fast-check";
import { expect, test } from "vitest";
import { indexField } from "../src/indexes/definition.ts";
import type { IndexDefinition } from "../src/indexes/definition.ts";
import { extractKeys, topLevelFields } from "../src/indexes/key-extraction.ts";
import { encodeKey } from "../src/indexes/key-writer.ts";
import { compareBson, decode, indexTuples } from "../src/semantics/index.ts";
import { documents, smallDocuments, fieldPaths, values } from "./support/arbitrary-values.ts";

const read = (value: unknown) => decode(serialize({ v: value }))["v"];
const stored = values.map(read);

test("keys order exactly as values compare", () => {
  fc.assert(
    fc.property(stored, stored, (a, b) => {
      expect(Math.sign(Buffer.compare(encodeKey(a), encodeKey(b)))).toBe(compareBson(a, b));
    }),
    { numRuns: 10_000 },
  );
});

function definition(paths: readonly string[], directions: readonly boolean[]): IndexDefinition {
  return {
    id: 1,
    name: "test",
    fields: paths.map((path, index) => indexField(path, directions[index] ?? false)),
    unique: false,
    sparse: false,
    partialFilter: undefined,
    ttlSeconds: undefined,
    specification: {},
  } as unknown as IndexDefinition;
}

/** One field of an index: its key for a value, missing as null and an empty array as undefined. */
function fieldKeys(paths: readonly string[], document: Buffer, descending: boolean): string[] {
  const index = definition(
    paths,
    paths.map(() => descending),
  );
  const top = topLevelFields(document, new Set(paths.map((path) => path.split(".")[0] as string)));
  return extractKeys(index, top)
    .keys.map((key) => key.toString("hex"))
    .toSorted();
}

test("an index holds the entries that the semantics give", () => {
  fc.assert(
    fc.property(fc.oneof(smallDocuments, documents), fieldPaths, (document, path) => {
      const bytes = Buffer.from(serialize(document));
      let expected: string[];
      try {
        expected = indexTuples(decode(bytes), [path])
          .filter(([value]) => value !== undefined)
          .map(([value]) => encodeKey(value).toString("hex"));
      } catch {
        expect(() => fieldKeys([path], bytes, false)).toThrow();
        return;
      }
      const found = fieldKeys([path], bytes, false);
      expect(found).toEqual(expect.arrayContaining(expected));
      expect(found.length).toBe(indexTuples(decode(bytes), [path]).length);
    }),
    { numRuns: 5000 },
  );
});

test("compound entries are as many, and refuse the same documents", () => {
  fc.assert(
    fc.property(smallDocuments, fieldPaths, fieldPaths, (document, first, second) => {
      if (first === second) return;
      const bytes = Buffer.from(serialize(document));
      let expected: number;
      try {
        expected = indexTuples(decode(bytes), [first, second]).length;
      } catch {
        expect(() => fieldKeys([first, second], bytes, true)).toThrow();
        return;
      }
      expect(fieldKeys([first, second], bytes, true)).toHaveLength(expected);
    }),
    { numRuns: 5000 },
  );
});
