import { expect, it } from "vitest";
import { createPace } from "./pace.ts";

it("takes a receiver for quick that is not much slower than all are", () => {
  const pace = createPace();
  for (let times = 0; times < 100; times += 1) pace.note(5);
  expect([pace.isQuick(50), pace.isQuick(51)]).toEqual([true, false]);
  for (let times = 0; times < 100; times += 1) pace.note(100);
  expect([pace.isQuick(350), pace.isQuick(450)]).toEqual([true, false]);
  for (let times = 0; times < 100; times += 1) pace.note(15_000);
  expect([pace.isQuick(500), pace.isQuick(501), pace.isQuick(Infinity)]).toEqual([
    true,
    false,
    false,
  ]);
});
