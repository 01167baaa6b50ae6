import { serialize } from "bson";
import fc from "fast-check";
import { expect, test } from "vitest";
import { scalars, values } from "../../../test/support/arbitrary-values.ts";
import { canonical } from "./canonical.ts";
import { decode, encode } from "./codec/codec.ts";

test("canonical keeps the BSON bytes of values that a driver creates", () => {
  fc.assert(
    fc.property(fc.oneof(values, fc.array(scalars)), (value) => {
      const bytes = Buffer.from(serialize({ v: value }));
      const read = decode(bytes)["v"];
      expect(Buffer.from(encode({ v: canonical(read) }))).toEqual(bytes);
    }),
    { numRuns: 2000 },
  );
  fc.assert(
    fc.property(fc.array(scalars), (value) => {
      const bytes = Buffer.from(serialize({ v: value }));
      expect(Buffer.from(encode({ v: canonical(value) }))).toEqual(bytes);
    }),
    { numRuns: 2000 },
  );
});
