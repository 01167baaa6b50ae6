import fc from "fast-check";
import { expect, test } from "vitest";
import { bsonType } from "../bson/raw-document.ts";
import { decodeDocument, encodeDocument } from "../bson/values.ts";
import type { Document } from "../bson/values.ts";
import { compileUpdate } from "../semantics/index.ts";
import { plainUpdateOf } from "./plain-update.ts";
import { changedBy } from "./update-statement.ts";

const names = fc.constantFrom("a", "b", "c", "10", "9", "__proto__", "events", "missing");
const value = fc.oneof(
  fc.integer({ min: -5, max: 5 }),
  fc.string({ maxLength: 3 }),
  fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 4 }),
  fc.record({ x: fc.integer(), y: fc.array(fc.nat(), { maxLength: 3 }) }),
);
const entries = (arbitrary: fc.Arbitrary<unknown>) =>
  fc.uniqueArray(fc.tuple(names, arbitrary), { selector: ([name]) => name, maxLength: 6 });
const operator = fc.constantFrom("$set", "$unset", "$inc", "$max", "$push", "$setOnInsert");
const path = fc
  .tuple(names, fc.constantFrom("", ".x", ".y", ".y.1", ".0", ".$[]"))
  .map((parts) => parts.join(""));
const pushed = fc.record({ $each: fc.array(fc.nat(), { maxLength: 3 }), $slice: fc.constant(-3) });

/** Names such as "10" keep their place only where the object is made of entries that are bytes. */
function documentOf(fields: readonly (readonly unknown[])[]): Buffer {
  const elements = [["_id", 1] as const, ...fields].map(([name, given]) =>
    encodeDocument(Object.fromEntries([[String(name), given]])).subarray(4, -1),
  );
  const size = Buffer.alloc(4);
  size.writeInt32LE(elements.reduce((sum, { length }) => sum + length, 5));
  return Buffer.concat([size, ...elements, Buffer.from([0])]);
}

const context = { filter: {}, isInsert: false, now: new Date(0) };

test("an update of some fields changes a document as one that sees the whole of it", () => {
  let changed = 0;
  fc.assert(
    fc.property(
      entries(value),
      fc.uniqueArray(fc.tuple(operator, path, fc.oneof(value, pushed)), {
        selector: ([, at]) => at,
        minLength: 1,
        maxLength: 4,
      }),
      (fields, changes) => {
        const given = decodeDocument(
          documentOf(
            [...Map.groupBy(changes, ([name]) => name)].map(([name, of]) => [
              name,
              decodeDocument(documentOf(of.map(([, at, operand]) => [at, operand]))),
            ]),
          ),
        );
        delete given["_id"];
        for (const operands of Object.values(given)) delete (operands as typeof given)["_id"];
        const document = documentOf(fields);
        const outcomeOf = (sees: "part" | "all") => {
          try {
            const update = compileUpdate(given);
            const whole = { ...update, touches: undefined };
            return changedBy(sees === "part" ? update : whole, document, context).toString("hex");
          } catch (error) {
            return String(error);
          }
        };
        const outcome = outcomeOf("part");
        expect(outcome).toBe(outcomeOf("all"));
        if (!outcome.includes("rror") && outcome !== document.toString("hex")) changed += 1;
      },
    ),
    { numRuns: 1_000 },
  );
  expect(changed).toBeGreaterThan(150);
});

test("a field that comes twice is left to the update that sees all", () => {
  const element = encodeDocument({ a: 1 }).subarray(4, -1);
  const size = Buffer.from([5 + element.length * 2, 0, 0, 0]);
  const twice = Buffer.concat([size, element, element, Buffer.from([0])]);
  const update = compileUpdate({ $set: { a: 2 } });
  expect(decodeDocument(changedBy(update, twice, context))).toEqual({ a: 2 });
});

function plainOf(update: Document) {
  const bytes = encodeDocument(update);
  return plainUpdateOf({ bytes, type: bsonType.object, start: 0, end: bytes.length });
}

test("an update of single values, done on the bytes, changes a document as any other", () => {
  const plainName = fc.constantFrom("a", "b", "c", "events", "missing", "__proto__");
  const single = fc.constantFrom(1, "x", null, true, new Date(1), 2n ** 40n, Buffer.from("x"));
  fc.assert(
    fc.property(
      entries(value),
      fc.dictionary(plainName, fc.option(single, { nil: undefined }), { minKeys: 1 }),
      (fields, changes) => {
        const given = Object.entries(changes);
        const $set = documentOf(given.filter(([, change]) => change !== undefined));
        const $unset = documentOf(
          given.flatMap(([name, change]) => (change === undefined ? [[name, ""]] : [])),
        );
        const update = { $set: decodeDocument($set), $unset: decodeDocument($unset) };
        for (const operands of Object.values(update)) delete operands["_id"];
        const document = documentOf(fields);
        const expected = changedBy(compileUpdate(update), document, context);
        expect(plainOf(update)?.apply(document)?.toString("hex")).toBe(expected.toString("hex"));
      },
    ),
    { numRuns: 500 },
  );
});

test.each([
  { $set: { "a.b": 1 } },
  { $set: { _id: 1 } },
  { $set: { "0": 1 } },
  { $set: { a: { b: 1 } } },
  { $set: { a: 1.5 } },
  { $set: { a: 1 }, $unset: { a: "" } },
  { $set: { $a: 1 } },
  { $set: { a: 1 }, $inc: { b: 1 } },
  { a: 1 },
  {},
])("more than that is not: %j", (update) => {
  expect(plainOf(update)).toBeUndefined();
});
