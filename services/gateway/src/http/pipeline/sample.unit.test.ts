import { settableClock } from "@malipo/testing";
import { expect, it } from "vitest";
import { createSampling } from "./sample.ts";

const start = new Date("2026-11-21T08:00:00Z");
const times = (count: number, weigh: () => number) => Array.from({ length: count }, weigh);

it("takes all of what is usual", () => {
  const clock = settableClock(start);
  const weigh = createSampling(clock.now);
  for (let second = 0; second < 3; second += 1) {
    expect(times(200, weigh)).toEqual(Array.from({ length: 200 }, () => 1));
    clock.advance(1_000);
  }
});

it("takes samples of a storm, which together stand for all of it", () => {
  const { now } = settableClock(start);
  const weights = times(10_200, createSampling(now));
  expect(weights.filter((weight) => weight > 0).length).toBe(200 + 500);
  expect(weights.reduce((sum, weight) => sum + weight, 0)).toBe(10_200);
});
