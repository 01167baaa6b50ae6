import { settableClock } from "@malipo/testing";
import { expect, it } from "vitest";
import { createSampling } from "./observe.ts";

const start = new Date("2026-11-21T08:00:00Z");
const weightsOf = (count: number, sample: () => number) => Array.from({ length: count }, sample);

it("200 requests a second are all logged", () => {
  const clock = settableClock(start);
  const sample = createSampling(clock.now);
  for (let second = 0; second < 3; second += 1) {
    expect(weightsOf(200, sample)).toEqual(Array.from({ length: 200 }, () => 1));
    clock.advance(1_000);
  }
});

it("requests beyond 200 a second are sampled, and the weights add up to all of them", () => {
  const { now } = settableClock(start);
  const weights = weightsOf(10_200, createSampling(now));
  expect(weights.filter((weight) => weight > 0).length).toBe(200 + 500);
  expect(weights.reduce((sum, weight) => sum + weight, 0)).toBe(10_200);
});
