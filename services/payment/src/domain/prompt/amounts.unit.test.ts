import { cents } from "@malipo/core";
import { describe, expect, it } from "vitest";
import { amountRangeFor, isWithin } from "./amounts.ts";

describe("amountRangeFor", () => {
  it.each([
    [250_000, { min: 2_500, max: 2_500, suggested: 2_500, note: null }],
    [9_950, { min: 100, max: 100, suggested: 100, note: "rounded" }],
    [1, { min: 10, max: 10, suggested: 10, note: "minimum" }],
    [999, { min: 10, max: 10, suggested: 10, note: "minimum" }],
    [1_000, { min: 10, max: 10, suggested: 10, note: null }],
    [15_000_000, { min: 150_000, max: 150_000, suggested: 150_000, note: null }],
    [15_000_001, { min: 150_000, max: 150_000, suggested: 150_000, note: "maximum" }],
  ])("suggests what one prompt can ask for when %d cents are owed", (owed, amounts) => {
    expect(amountRangeFor(cents(owed), false)).toEqual(amounts);
  });

  it("allows any part of the debt when part payment is allowed, and never more than is owed", () => {
    const amounts = amountRangeFor(cents(250_050), true);
    expect(amounts).toEqual({ min: 10, max: 2_501, suggested: 2_501, note: "rounded" });
    expect([9, 10, 2_501, 2_502].map((each) => isWithin(amounts, each))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  it("suggests nothing when the payer chooses the amount", () => {
    expect(amountRangeFor(null, false)).toEqual({
      min: 10,
      max: 150_000,
      suggested: null,
      note: null,
    });
  });
});
