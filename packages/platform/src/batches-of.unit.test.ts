import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { batchesOf } from "./batches-of.ts";

async function* inBursts(bursts: readonly (readonly number[])[]) {
  for (const burst of bursts) {
    yield* burst;
    await turn();
    await turn();
  }
}

it("takes what has arrived as one batch, up to the most", async () => {
  const batches: number[][] = [];
  for await (const batch of batchesOf(inBursts([[1, 2, 3], [4], [5, 6, 7, 8, 9]]), 4))
    batches.push(batch);
  expect(batches.flat()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(batches[0]).toEqual([1, 2, 3]);
  expect(Math.max(...batches.map((batch) => batch.length))).toBe(4);
});

it("loses nothing when the source ends in the middle of a batch", async () => {
  const batches: number[][] = [];
  for await (const batch of batchesOf(inBursts([[1, 2]]), 100)) batches.push(batch);
  expect(batches.flat()).toEqual([1, 2]);
});
