import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { eachTurn, inGroups } from "./turn.ts";

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

it("hands over a full batch at once, and never more than that", async () => {
  const handed: (readonly number[])[] = [];
  const add = eachTurn<number>(2, (items) => handed.push(items));
  for (const item of [1, 2, 3, 4, 5]) add(item);
  expect(handed).toEqual([
    [1, 2],
    [3, 4],
  ]);
  await turn();
  expect(handed).toEqual([[1, 2], [3, 4], [5]]);
});

it("hands over what came while the last group was being handled as the next", async () => {
  const handed: (readonly number[])[] = [];
  const first = Promise.withResolvers<void>();
  const add = inGroups<number>(3, async (items) => {
    handed.push(items);
    if (handed.length === 1) await first.promise;
  });
  add(1);
  await turn();
  for (const item of [2, 3, 4, 5]) add(item);
  await turn();
  expect(handed).toEqual([[1]]);
  first.resolve();
  await turn();
  expect(handed).toEqual([[1], [2, 3, 4], [5]]);
  add(6);
  await turn();
  expect(handed).toEqual([[1], [2, 3, 4], [5], [6]]);
});

it("waits for more after a group of several, and for nothing after a single one", async () => {
  const handed: (readonly number[])[] = [];
  const gathered = Promise.withResolvers<void>();
  const handle = async (items: readonly number[]) => void handed.push(items);
  const add = inGroups<number>(100, handle, () => gathered.promise);
  for (const item of [1, 2, 3, 4]) add(item);
  await turn();
  for (const item of [5, 6]) {
    add(item);
    await turn();
  }
  expect(handed).toEqual([[1, 2, 3, 4]]);
  gathered.resolve();
  await turn();
  add(7);
  await turn();
  expect(handed).toEqual([[1, 2, 3, 4], [5, 6], [7]]);
});
