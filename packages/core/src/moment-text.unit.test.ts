import fc from "fast-check";
import { expect, it } from "vitest";
import { momentText } from "./moment-text.ts";

it("is what the date says of itself, of many moments and of the same ones again", () => {
  fc.assert(
    fc.property(fc.array(fc.date({ noInvalidDate: true }), { maxLength: 200 }), (moments) => {
      for (const moment of [...moments, ...moments]) {
        expect(momentText(moment)).toBe(moment.toISOString());
      }
    }),
  );
});

it("is none of what is no moment", () => {
  expect(() => momentText(new Date(Number.NaN))).toThrow(RangeError);
  expect(() => momentText(new Date(Number.NaN))).toThrow(RangeError);
});
