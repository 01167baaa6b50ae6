import { expect, it } from "vitest";
import { createLatency } from "./latency.ts";

it("calls a receiver quick when it needs at most four times the average, 50 to 500 ms", () => {
  const latency = createLatency();
  for (let times = 0; times < 100; times += 1) latency.add(5);
  expect(latency.quickMs()).toBe(50);
  for (let times = 0; times < 100; times += 1) latency.add(100);
  expect(latency.quickMs()).toBeGreaterThan(350);
  expect(latency.quickMs()).toBeLessThan(450);
  for (let times = 0; times < 100; times += 1) latency.add(15_000);
  expect(latency.quickMs()).toBe(500);
});

it("barely changes the limit for quick receivers after one very slow attempt", () => {
  const latency = createLatency();
  for (let times = 0; times < 100; times += 1) latency.add(5);
  latency.add(15_000);
  expect(latency.quickMs()).toBeLessThan(150);
});
