import { describe, expect, it } from "vitest";
import { basisPoints, basisPointsToPercent, parsePercent } from "./percent.ts";
import { err, ok } from "./result.ts";

describe("percentages", () => {
  it("are the same after conversion to percent and back, with up to two decimals", () => {
    for (let rate = 0; rate <= 10_000; rate += 1) {
      const percent = basisPointsToPercent(basisPoints(rate));
      expect(parsePercent(percent)).toEqual(ok(rate));
    }
    expect(parsePercent(-0)).toEqual(ok(0));
  });

  it.each([
    [16.001, "more than two decimals"],
    [1e-9, "more than two decimals"],
    [-0.01, "not from 0 to 100"],
    [100.01, "not from 0 to 100"],
    [Number.NaN, "not from 0 to 100"],
    [Infinity, "not from 0 to 100"],
  ] as const)("parsePercent refuses %d: %s", (percent, problem) => {
    expect(parsePercent(percent)).toEqual(err(problem));
  });

  it("basisPoints throws for a fraction and outside 0 to 100 percent", () => {
    for (const rate of [-1, 0.5, 10_001]) expect(() => basisPoints(rate)).toThrow("percent");
  });
});
