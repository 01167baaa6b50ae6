import { PassThrough } from "node:stream";
import { setImmediate as turn, setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { batchesOf } from "./gather-batches.ts";

async function* inBursts(bursts: readonly (readonly number[])[]) {
  for (const burst of bursts) {
    for (const item of burst) yield [item];
    await turn();
    await turn();
  }
}

it("takes what has arrived as one batch, up to the most", async () => {
  const batches: number[][] = [];
  for await (const batch of batchesOf(inBursts([[1, 2, 3], [4], [5, 6, 7, 8, 9]]), { batchMax: 4 }))
    batches.push(batch);
  expect(batches.flat()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(batches[0]).toEqual([1, 2, 3]);
  expect(Math.max(...batches.map((batch) => batch.length))).toBe(4);
});

it("divides what is told at once, and begins the next batch with the rest", async () => {
  const told = PassThrough.from([[1, 2, 3, 4, 5, 6, 7], [8], [9, 10]]);
  const batches: number[][] = [];
  for await (const batch of batchesOf<number>(told, { batchMax: 3 })) batches.push(batch);
  expect(batches).toEqual([[1, 2, 3], [4, 5, 6], [7, 8, 9], [10]]);
});

it("loses nothing when the source ends in the middle of a batch", async () => {
  const batches: number[][] = [];
  for await (const batch of batchesOf(inBursts([[1, 2]]), { batchMax: 100 })) batches.push(batch);
  expect(batches.flat()).toEqual([1, 2]);
});

it("waits a little for what follows several at once, and for nothing after a single one", async () => {
  const source = new PassThrough({ objectMode: true });
  const batches: number[][] = [];
  const done = (async () => {
    for await (const batch of batchesOf<number>(source, { batchMax: 100 })) batches.push(batch);
  })();
  const arrive = async (burst: readonly number[]) => {
    for (const item of burst) source.write([item]);
    for (let turns = 0; turns < 5; turns += 1) await turn();
  };
  for (const burst of [[1], [2], [3, 4, 5, 6]]) await arrive(burst);
  expect(batches).toEqual([[1], [2], [3, 4, 5, 6]]);
  await arrive([7]);
  await arrive([8]);
  source.end();
  await done;
  expect(batches.slice(3)).toEqual([[7, 8]]);
});

it("waits for nothing more when the batch before took long enough", async () => {
  const source = new PassThrough({ objectMode: true });
  for (const item of [1, 2, 3, 4]) source.write([item]);
  const batches = batchesOf<number>(source, { batchMax: 100 });
  expect((await batches.next()).value).toEqual([1, 2, 3, 4]);
  source.write([5]);
  await sleep(100);
  let next: number[] | undefined;
  void batches.next().then(({ value }) => (next = value as number[]));
  for (let turns = 0; turns < 5; turns += 1) await turn();
  expect(next).toEqual([5]);
});

/** How long after the first of these at once, and one behind them, that one is handed over. */
async function waitBehind(first: number, gatherMs: number): Promise<number> {
  const source = new PassThrough({ objectMode: true });
  source.write(Array.from({ length: first }, (_, index) => index));
  const batches = batchesOf<number>(source, { batchMax: 100, gatherMs });
  await batches.next();
  const handedOverAtMs = performance.now();
  source.write([first]);
  expect((await batches.next()).value).toEqual([first]);
  return performance.now() - handedOverAtMs;
}

it("gathers behind a crowd as long as it may, and only a moment behind a few", async () => {
  expect(await waitBehind(40, 120)).toBeGreaterThan(115);
  expect(await waitBehind(20, 600_000)).toBeGreaterThan(45);
});
