import { describe, expect, it } from "vitest";
import { basisPoints, basisPointsToPercent, parsePercent } from "./percent.ts";
import { err, ok } from "./result.ts";

describe("percent", () => {
  it("come back as they went, with up to two decimals", () => {
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
  ] as const)("refuse %d: %s", (percent, problem) => {
    expect(parsePercent(percent)).toEqual(err(problem));
  });

  it("are whole and bounded inside", () => {
    for (const rate of [-1, 0.5, 10_001]) expect(() => basisPoints(rate)).toThrow("percent");
  });
});
