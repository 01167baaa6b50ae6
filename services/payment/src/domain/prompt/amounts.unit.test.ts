import { cents } from "@malipo/core";
import { describe, expect, it } from "vitest";
import { amountsFor, isWithin } from "./amounts.ts";

describe("what a prompt may ask for", () => {
  it.each([
    [250_000, { min: 2_500, max: 2_500, usual: 2_500, note: null }],
    [9_950, { min: 100, max: 100, usual: 100, note: "rounded" }],
    [1, { min: 10, max: 10, usual: 10, note: "minimum" }],
    [999, { min: 10, max: 10, usual: 10, note: "minimum" }],
    [1_000, { min: 10, max: 10, usual: 10, note: null }],
    [15_000_000, { min: 150_000, max: 150_000, usual: 150_000, note: null }],
    [15_000_001, { min: 150_000, max: 150_000, usual: 150_000, note: "maximum" }],
  ])("of %d cents", (owed, amounts) => {
    expect(amountsFor(cents(owed), false)).toEqual(amounts);
  });

  it("is less where part of it may be paid, and never more than is owed", () => {
    const amounts = amountsFor(cents(250_050), true);
    expect(amounts).toEqual({ min: 10, max: 2_501, usual: 2_501, note: "rounded" });
    expect([9, 10, 2_501, 2_502].map((each) => isWithin(amounts, each))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  it("is the payer's to say where nothing is owed", () => {
    expect(amountsFor(null, false)).toEqual({ min: 10, max: 150_000, usual: null, note: null });
  });
});
