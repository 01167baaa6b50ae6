import { basisPoints, cents, sumCents } from "@malipo/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Discount, type Line, computeLineTotal, noDiscount, computeTotals } from "./totals.ts";

const rate = fc.integer({ min: 0, max: 10_000_000 }).map(cents);
const line = fc.record({ quantity: fc.integer({ min: 1, max: 1_000 }), rate });
const lines = fc.array(line, { minLength: 1, maxLength: 20 });
const percent = fc.integer({ min: 0, max: 10_000 });
const taxrate = percent.map(basisPoints);

/** A discount that is at most the subtotal. */
function discountOn(on: readonly Line[]): fc.Arbitrary<Discount> {
  const subtotal = sumCents(on.map(computeLineTotal));
  return fc.oneof(
    percent.map((hundredths) => ({ type: "percentage" as const, hundredths })),
    fc
      .integer({ min: 0, max: subtotal })
      .map((hundredths) => ({ type: "fixed" as const, hundredths })),
  );
}

const cases = lines.chain((on) =>
  fc.record({ lines: fc.constant(on), discount: discountOn(on), taxrate }),
);

function totals(rates: readonly number[], discount: Discount, tax = 0) {
  const lines = rates.map((rate) => ({ quantity: 1, rate: cents(rate) }));
  return computeTotals(lines, discount, basisPoints(tax));
}

function expectHalfUp(rounded: number, of: number, hundredths: number) {
  const twice = 2n * (BigInt(rounded) * 10_000n - BigInt(of) * BigInt(hundredths));
  expect(twice <= 10_000n && twice > -10_000n).toBe(true);
}

describe("totals", () => {
  it.each([
    [
      [37_900, 48_000],
      { type: "percentage", hundredths: 1_000 },
      1_600,
      [85_900, 8_590, 12_370, 89_680],
    ],
    // Half a cent rounds up: 12.5 % of 0.20 is 2.5 cents, and 50 % of 0.01 half a cent.
    [[20], { type: "percentage", hundredths: 1_250 }, 0, [20, 3, 0, 17]],
    [[1], noDiscount, 5_000, [1, 0, 1, 2]],
    [[1], noDiscount, 4_999, [1, 0, 0, 1]],
    // Tax is taken once, of what the discount leaves: not line by line.
    [[1, 1, 1], { type: "fixed", hundredths: 1 }, 2_500, [3, 1, 1, 3]],
    [[100], { type: "percentage", hundredths: 10_000 }, 1_600, [100, 100, 0, 0]],
    [[100], { type: "fixed", hundredths: 100 }, 1_600, [100, 100, 0, 0]],
    [
      [99_999_999_999_999],
      { type: "percentage", hundredths: 3_333 },
      10_000,
      [99_999_999_999_999, 33_330_000_000_000, 66_669_999_999_999, 133_339_999_999_998],
    ],
  ] as const)("of %j with %j and tax %i", (rates, discount, tax, [subtotal, off, taxed, total]) => {
    expect(totals(rates, discount, tax)).toEqual({ subtotal, discount: off, tax: taxed, total });
  });

  it("are never negative, and add up", () => {
    fc.assert(
      fc.property(cases, ({ lines, discount, taxrate }) => {
        const { subtotal, discount: off, tax, total } = computeTotals(lines, discount, taxrate);
        expect(subtotal).toBe(sumCents(lines.map(computeLineTotal)));
        expect(off).toBeGreaterThanOrEqual(0);
        expect(off).toBeLessThanOrEqual(subtotal);
        expect(tax).toBeGreaterThanOrEqual(0);
        expect(total).toBe(subtotal - off + tax);
        expect(total).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  it("do not depend on the order of the lines, nor on how a quantity is split", () => {
    fc.assert(
      fc.property(cases, ({ lines, discount, taxrate }) => {
        const asked = computeTotals(lines, discount, taxrate);
        expect(computeTotals(lines.toReversed(), discount, taxrate)).toEqual(asked);
        const split = lines.flatMap(({ quantity, rate }) => [
          { quantity: quantity - 1, rate },
          { quantity: 1, rate },
        ]);
        expect(computeTotals(split, discount, taxrate)).toEqual(asked);
      }),
    );
  });

  it("lie within half a cent of the exact discount and tax", () => {
    fc.assert(
      fc.property(lines, percent, taxrate, (lines, hundredths, taxrate) => {
        const { subtotal, discount, tax } = computeTotals(
          lines,
          { type: "percentage", hundredths },
          taxrate,
        );
        expectHalfUp(discount, subtotal, hundredths);
        expectHalfUp(tax, subtotal - discount, taxrate);
      }),
    );
  });
});
