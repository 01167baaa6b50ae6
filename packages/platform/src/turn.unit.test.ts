import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { eachTurn } from "./turn.ts";

it("hands over together what comes in one turn, in its order", async () => {
  const handed: (readonly number[])[] = [];
  const add = eachTurn<number>(10, (items) => handed.push(items));
  add(1);
  await Promise.resolve();
  add(2);
  expect(handed).toEqual([]);
  await turn();
  add(3);
  await turn();
  expect(handed).toEqual([[1, 2], [3]]);
});

it("never hands over more than the most at once", async () => {
  const handed: (readonly number[])[] = [];
  const add = eachTurn<number>(2, (items) => handed.push(items));
  for (const item of [1, 2, 3, 4, 5]) add(item);
  await turn();
  expect(handed).toEqual([[1, 2], [3, 4], [5]]);
});
