import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AssertionFailed } from "./assert.ts";
import {
  cents,
  centsToShillings,
  maxCents,
  maxShillings,
  multiplyCents,
  parseShillings,
  shillingsToCents,
  sumCents,
} from "./money.ts";

const anyCents = fc.integer({ min: -maxShillings * 100, max: maxShillings * 100 }).map(cents);

describe("parseShillings", () => {
  it.each([
    [0, 0],
    [-0, 0],
    [0.1, 10],
    [1.15, 115],
    [4.35, 435],
    [1_000_000.01, 100_000_001],
    [-2.5, -250],
    [maxShillings, maxShillings * 100],
  ])("reads %d shillings as %d cents", (shillings, expected) => {
    expect(parseShillings(shillings)).toEqual({ ok: true, value: expected });
  });

  it.each([0.001, 1.005, 10.999, 0.1 + 0.2, 1e-7])(
    "refuses %d: more than two decimals",
    (shillings) => {
      expect(parseShillings(shillings)).toEqual({ ok: false, error: "more than two decimals" });
    },
  );

  it.each([Number.NaN, Infinity, -Infinity])("refuses %d: not a number", (shillings) => {
    expect(parseShillings(shillings)).toEqual({ ok: false, error: "not a number" });
  });

  it.each([maxShillings + 0.01, -maxShillings - 1, Number.MAX_SAFE_INTEGER, 1e300])(
    "refuses %d: too large",
    (shillings) => {
      expect(parseShillings(shillings)).toEqual({ ok: false, error: "too large" });
    },
  );

  it("reads every amount of two decimals exactly", () => {
    fc.assert(
      fc.property(anyCents, (amount) => {
        const digits = String(Math.abs(amount)).padStart(3, "0");
        const written = `${amount < 0 ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
        expect(parseShillings(Number(written))).toEqual({ ok: true, value: amount });
      }),
    );
  });

  it("refuses every amount with a third decimal", () => {
    const lastDigit = fc.integer({ min: 1, max: 9 });
    const upTo = fc.integer({ min: 0, max: 1_000_000_000 });
    fc.assert(
      fc.property(upTo, lastDigit, (amount, digit) => {
        const digits = String(amount).padStart(3, "0");
        const written = Number(`${digits.slice(0, -2)}.${digits.slice(-2)}${digit}`);
        expect(parseShillings(written).ok).toBe(false);
      }),
    );
  });
});

describe("shillingsToCents", () => {
  it("reads every amount that centsToShillings returns, sums above the limit included", () => {
    const anySum = fc.integer({ min: -4 * maxCents, max: 4 * maxCents }).map(cents);
    fc.assert(
      fc.property(anySum, (amount) => {
        expect(shillingsToCents(centsToShillings(amount))).toBe(amount);
      }),
    );
  });

  it.each([10.999, 0.1 + 0.2, Number.NaN, Infinity, Number.MAX_SAFE_INTEGER])(
    "throws for %d, which is no whole number of cents",
    (shillings) => {
      expect(() => shillingsToCents(shillings)).toThrow(AssertionFailed);
    },
  );

  it("returns zero for negative zero", () => {
    expect(Object.is(shillingsToCents(-0), 0)).toBe(true);
  });
});

describe("centsToShillings", () => {
  it("returns a number that parseShillings reads back as the same cents", () => {
    fc.assert(
      fc.property(anyCents, (amount) => {
        expect(parseShillings(centsToShillings(amount))).toEqual({ ok: true, value: amount });
      }),
    );
  });

  it("returns at most two decimals", () => {
    fc.assert(
      fc.property(anyCents, (amount) => {
        expect(JSON.stringify(centsToShillings(amount))).toMatch(/^-?\d+(\.\d{1,2})?$/);
      }),
    );
  });
});

describe("sumCents and multiplyCents", () => {
  it("sumCents returns the same sum in any order", () => {
    fc.assert(
      fc.property(fc.array(anyCents, { maxLength: 50 }), (amounts) => {
        expect(sumCents(amounts)).toBe(sumCents(amounts.toReversed()));
      }),
    );
  });

  it("multiplyCents equals the sum of the same price repeated", () => {
    fc.assert(
      fc.property(anyCents, fc.integer({ min: 0, max: 50 }), (amount, quantity) => {
        const repeated = sumCents(Array.from({ length: quantity }, () => amount));
        expect(multiplyCents(amount, quantity)).toBe(repeated);
      }),
    );
  });

  it("throw when the result is no safe integer", () => {
    const most = cents(Number.MAX_SAFE_INTEGER);
    expect(() => sumCents([most, cents(1)])).toThrow(AssertionFailed);
    expect(() => multiplyCents(most, 2)).toThrow(AssertionFailed);
  });

  it("cents and multiplyCents throw for a fraction or NaN", () => {
    expect(() => cents(0.5)).toThrow(AssertionFailed);
    expect(() => cents(Number.NaN)).toThrow(AssertionFailed);
    expect(() => multiplyCents(cents(100), 1.5)).toThrow(AssertionFailed);
  });

  it("multiplyCents returns zero, not negative zero", () => {
    expect(Object.is(multiplyCents(cents(-5), 0), 0)).toBe(true);
  });
});
