import { array, assert, double, property } from "fast-check";
import { describe, expect, test } from "vitest";
import { difference, median, ratio, summarise, summarisePairs } from "./statistics.ts";

const figures = array(double({ min: 1, max: 1e6, noNaN: true }), {
  minLength: 1,
  maxLength: 20,
});

describe("median", () => {
  test("is the middle of an odd number of values and the mean of the middle two of an even one", () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([9, 1, 5, 6])).toBe(5.5);
  });

  test("has as many values below as above, and does not change its input", () => {
    assert(
      property(figures, (values) => {
        const before = [...values];
        const middle = median(values);
        const below = values.filter((value) => value < middle).length;
        const above = values.filter((value) => value > middle).length;
        expect(below).toBeLessThanOrEqual(values.length / 2);
        expect(above).toBeLessThanOrEqual(values.length / 2);
        expect(values).toEqual(before);
      }),
    );
  });

  test("refuses an empty list", () => {
    expect(() => median([])).toThrow(RangeError);
  });
});

describe("summarise", () => {
  test("gives the range as a share of the median", () => {
    expect(summarise([90, 100, 120])).toEqual({ median: 100, spread: 0.3 });
    expect(summarise([7])).toEqual({ median: 7, spread: 0 });
    expect(summarise([-1, 0, 1])).toEqual({ median: 0, spread: 0 });
  });
});

describe("summarisePairs", () => {
  test("compares round by round, so that a drift of both contenders cancels out", () => {
    const left = [50, 100, 200];
    const right = [100, 200, 400];
    expect(summarisePairs(left, right, ratio)).toEqual({ median: 0.5, spread: 0 });
    expect(summarisePairs(left, [40, 90, 190], difference)).toEqual({ median: 10, spread: 0 });
  });

  test("refuses lists of different lengths", () => {
    expect(() => summarisePairs([1, 2], [1], ratio)).toThrow(RangeError);
  });
});
