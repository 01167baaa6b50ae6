import { expect, it } from "vitest";
import { createPace } from "./latency.ts";

it("takes a receiver for quick that is not much slower than all are", () => {
  const pace = createPace();
  for (let times = 0; times < 100; times += 1) pace.note(5);
  expect(pace.quickMs()).toBe(50);
  for (let times = 0; times < 100; times += 1) pace.note(100);
  expect(pace.quickMs()).toBeGreaterThan(350);
  expect(pace.quickMs()).toBeLessThan(450);
  for (let times = 0; times < 100; times += 1) pace.note(15_000);
  expect(pace.quickMs()).toBe(500);
});

it("is not misled by a single one that takes very long", () => {
  const pace = createPace();
  for (let times = 0; times < 100; times += 1) pace.note(5);
  pace.note(15_000);
  expect(pace.quickMs()).toBeLessThan(150);
});
