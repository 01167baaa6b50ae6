import fc from "fast-check";
import { expect, test } from "vitest";
import { FieldNames } from "../bson/field-names.ts";
import { decodeDocument, encodeDocument } from "../document-codec.ts";
import { compileFilter } from "../semantics/index.ts";
import { topLevelFields } from "./key-extraction.ts";
import { partialFilterOf } from "./partial-filter.ts";

const scalar = fc.oneof(
  fc.integer({ min: -2, max: 2 }),
  fc.constantFrom(1.5, Number.NaN, true, false),
  fc.constantFrom("", "a", "b"),
  fc.constantFrom(new Date(0), new Date(1), 2n ** 40n, null),
);
const list = fc.array(fc.oneof(scalar, fc.record({ x: scalar })), { maxLength: 2 });
const value = fc.oneof(scalar, list, fc.record({ x: fc.oneof(scalar, list) }), fc.constant({}));
const condition = fc.oneof(
  scalar,
  fc.constantFrom({ $exists: true }, { $exists: false }),
  scalar.map((bound) => ({ $gt: bound })),
  scalar.map((bound) => ({ $gt: bound, $exists: true })),
  scalar.map((bound) => ({ $lt: bound })),
);
const path = fc.constantFrom("a", "b", "a.x");

test("a partial index covers exactly the documents that its filter matches", () => {
  let covered = 0;
  fc.assert(
    fc.property(
      fc.dictionary(path, condition, { minKeys: 1, maxKeys: 2 }),
      fc.dictionary(fc.constantFrom("a", "b", "c"), value),
      (filter, fields) => {
        const document = encodeDocument(fields);
        const partial = partialFilterOf(decodeDocument(encodeDocument(filter)));
        const top = topLevelFields(document, new FieldNames(partial.names ?? []));
        const expected = compileFilter(filter).matches(decodeDocument(document));
        expect(partial.covers(document, top)).toBe(expected);
        if (expected) covered += 1;
      },
    ),
    { numRuns: 2_000 },
  );
  expect(covered).toBeGreaterThan(100);
});
