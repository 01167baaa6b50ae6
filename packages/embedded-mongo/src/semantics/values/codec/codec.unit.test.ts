import { serialize } from "bson";
import fc from "fast-check";
import { expect, test } from "vitest";
import { documents } from "../../../../test/support/arbitrary-values.ts";
import { MongoError } from "../../../errors.ts";
import { decode, encode } from "./codec.ts";
import { fieldKey, getField } from "../document.ts";

const bytesOf = (document: object) => Buffer.from(serialize(document));

test("decode and encode return the same bytes for every document", () => {
  fc.assert(
    fc.property(documents, (document) => {
      const bytes = bytesOf(document);
      expect(Buffer.from(encode(decode(bytes)))).toEqual(bytes);
    }),
    { numRuns: 1000 },
  );
});

test("decode keeps the order of fields with integer names", () => {
  const bytes = bytesOf(
    new Map<string, unknown>([
      ["b", 1],
      ["10", 2],
      [
        "2",
        new Map([
          ["1", 1],
          ["0", 2],
        ]),
      ],
    ]),
  );
  expect(Buffer.from(encode(decode(bytes)))).toEqual(bytes);
});

test("a field named __proto__ does not change a prototype", () => {
  const document = decode(bytesOf(new Map([["__proto__", new Map([["polluted", true]])]])));
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  expect(getField(document, "polluted")).toBeUndefined();
  expect(getField(document, fieldKey("constructor"))).toBeUndefined();
  expect(getField({}, fieldKey("constructor"))).toBeUndefined();
  expect(getField(document, fieldKey("__proto__"))).toEqual({ polluted: true });
});

test("decode refuses cut or damaged bytes with InvalidBSON", () => {
  fc.assert(
    fc.property(documents, fc.nat(), fc.nat(255), fc.boolean(), (document, at, byte, cut) => {
      const bytes = bytesOf(document);
      const damaged = cut ? bytes.subarray(0, at % bytes.length) : Buffer.from(bytes);
      if (!cut) damaged[at % bytes.length] = byte;
      let refused: unknown;
      try {
        decode(damaged);
      } catch (error) {
        refused = error;
      }
      expect(refused === undefined || refused instanceof MongoError).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

test("decode refuses text that is not UTF-8", () => {
  const bytes = bytesOf({ a: "xx" });
  bytes[bytes.length - 4] = 0xff;
  expect(() => decode(bytes)).toThrow("not UTF-8");
});

test("decode refuses nesting deeper than 200", () => {
  const nested = (depth: number): object => (depth === 1 ? {} : { a: nested(depth - 1) });
  expect(() => decode(bytesOf(nested(200)))).not.toThrow();
  expect(() => decode(bytesOf(nested(201)))).toThrow("maximum nested object depth");
});
