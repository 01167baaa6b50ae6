import { Double, ObjectId } from "bson";
import fc from "fast-check";
import { expect, test } from "vitest";
import { bsonType } from "../../bson/raw-document.ts";
import { decodeDocument, encodeDocument } from "../../document-codec.ts";
import type { Document } from "../../document-codec.ts";
import { compileUpdate } from "../../semantics/index.ts";
import { compileRawUpdate } from "./raw-update/raw-update.ts";
import { computeUpdated } from "./update-statement.ts";

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

/**
 * Builds the document from encoded elements, because an object would move names such as "10" to the
 * front.
 */
function documentOf(fields: readonly (readonly unknown[])[]): Buffer {
  const elements = [["_id", 1] as const, ...fields].map(([name, given]) =>
    encodeDocument(Object.fromEntries([[String(name), given]])).subarray(4, -1),
  );
  const size = Buffer.alloc(4);
  size.writeInt32LE(elements.reduce((sum, { length }) => sum + length, 5));
  return Buffer.concat([size, ...elements, Buffer.from([0])]);
}

/** Removes the first element, `_id`. */
function withoutId(document: Buffer): Buffer {
  const rest = document.subarray(4 + encodeDocument({ _id: 1 }).length - 5);
  const size = Buffer.alloc(4);
  size.writeInt32LE(rest.length + 4);
  return Buffer.concat([size, rest]);
}

const context = { filter: {}, isInsert: false, now: new Date(0) };

test("an update that decodes only the touched fields gives the same document as one that decodes all", () => {
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
            return computeUpdated(sees === "part" ? update : whole, document, context).toString(
              "hex",
            );
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

test("an update of a document with a repeated field decodes the whole document", () => {
  const element = encodeDocument({ a: 1 }).subarray(4, -1);
  const size = Buffer.from([5 + element.length * 2, 0, 0, 0]);
  const twice = Buffer.concat([size, element, element, Buffer.from([0])]);
  const update = compileUpdate({ $set: { a: 2 } });
  expect(decodeDocument(computeUpdated(update, twice, context))).toEqual({ a: 2 });
});

function rawUpdateOf(update: Document) {
  const bytes = encodeDocument(update);
  return compileRawUpdate({ bytes, type: bsonType.object, start: 0, end: bytes.length });
}

/** Nested values with field names that an object would reorder. */
const anyValue = fc.letrec<{ readonly value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(1, 1.5, -0, new Double(2), 3e9, 2n ** 40n, "x", "Hé", "", null, true),
    fc.constantFrom<unknown>(new Date(1), Buffer.from("x"), new ObjectId(), Buffer.alloc(0)),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom("x", "$y", "10", "9", "", "a.b"), tie("value")),
  ),
})).value;
const simpleName = fc.constantFrom("a", "b", "c", "events", "missing", "__proto__");
const change = fc.oneof(
  fc.tuple(fc.constant("$set"), anyValue),
  fc.tuple(fc.constant("$unset"), fc.constant("")),
  fc.tuple(fc.constant("$push"), anyValue),
  fc.tuple(
    fc.constant("$push"),
    fc.record(
      { $each: fc.array(anyValue, { maxLength: 4 }), $slice: fc.integer({ min: -5, max: 1 }) },
      { requiredKeys: ["$each"] },
    ),
  ),
);
const arrays = fc.array(anyValue, { maxLength: 5 });

test("a raw update gives the same document as a decoded update", () => {
  let doneOnBytes = 0;
  fc.assert(
    fc.property(
      entries(fc.oneof(anyValue, arrays)),
      fc.uniqueArray(fc.tuple(simpleName, change), {
        selector: ([name]) => name,
        minLength: 1,
        maxLength: 5,
      }),
      (fields, changes) => {
        const update = documentOf(
          [...Map.groupBy(changes, ([, [operator]]) => operator)].map(([operator, of]) => [
            operator,
            decodeDocument(withoutId(documentOf(of.map(([name, [, operand]]) => [name, operand])))),
          ]),
        );
        const given = decodeDocument(withoutId(update));
        const document = documentOf(fields);
        const changed = rawUpdateOf(given)?.apply(document)?.toString("hex");
        if (changed === undefined) return;
        expect(changed).toBe(
          computeUpdated(compileUpdate(given), document, context).toString("hex"),
        );
        doneOnBytes += 1;
      },
    ),
    { numRuns: 1_000 },
  );
  expect(doneOnBytes).toBeGreaterThan(300);
});

test("a raw update is not used when $push meets a field that is not an array", () => {
  const update = { $set: { b: 1 }, $push: { a: 1 } };
  const document = encodeDocument({ _id: 1, a: "text" });
  expect(rawUpdateOf(update)?.apply(document)).toBeUndefined();
});

test.each([
  { $set: { "a.b": 1 } },
  { $set: { _id: 1 } },
  { $set: { "0": 1 } },
  { $set: { a: Number.NaN } },
  { $set: { a: [{ b: /x/ }] } },
  { $set: { a: nested(30) } },
  { $set: { a: 1 }, $unset: { a: "" } },
  { $set: { a: 1 }, $push: { a: 1 } },
  { $set: { $a: 1 } },
  { $set: { a: 1 }, $inc: { b: 1 } },
  { $push: { "a.b": 1 } },
  { $push: { a: { $each: 1 } } },
  { $push: { a: { $each: [1], $slice: 0 } } },
  { $push: { a: { $each: [1], $slice: 3 } } },
  { $push: { a: { $each: [1], $slice: -1.5 } } },
  { $push: { a: { $each: [1], $position: 0 } } },
  { $push: { a: { $each: [1], $sort: 1, $slice: -3 } } },
  { $push: {} },
  { a: 1 },
  {},
])("compileRawUpdate returns undefined for %j", (update) => {
  expect(rawUpdateOf(update)).toBeUndefined();
});

function nested(levels: number): unknown {
  return levels === 0 ? 1 : [nested(levels - 1)];
}
