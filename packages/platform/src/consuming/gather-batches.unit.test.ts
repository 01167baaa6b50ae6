import { PassThrough } from "node:stream";
import { setImmediate as turn, setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { gatherBatches } from "./gather-batches.ts";

async function* arriveInBursts(bursts: readonly (readonly number[])[]) {
  for (const burst of bursts) {
    for (const item of burst) yield [item];
    await turn();
    await turn();
  }
}

it("gatherBatches yields the events that have arrived as one batch, at most batchMax", async () => {
  const batches: number[][] = [];
  for await (const batch of gatherBatches(arriveInBursts([[1, 2, 3], [4], [5, 6, 7, 8, 9]]), {
    batchMax: 4,
  }))
    batches.push(batch);
  expect(batches.flat()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(batches[0]).toEqual([1, 2, 3]);
  expect(Math.max(...batches.map((batch) => batch.length))).toBe(4);
});

it("gatherBatches divides the events of a large message, and fills the next batch with the rest", async () => {
  const messages = PassThrough.from([[1, 2, 3, 4, 5, 6, 7], [8], [9, 10]]);
  const batches: number[][] = [];
  for await (const batch of gatherBatches<number>(messages, { batchMax: 3 })) batches.push(batch);
  expect(batches).toEqual([[1, 2, 3], [4, 5, 6], [7, 8, 9], [10]]);
});

it("gatherBatches yields all events when the source ends in the middle of a batch", async () => {
  const batches: number[][] = [];
  for await (const batch of gatherBatches(arriveInBursts([[1, 2]]), { batchMax: 100 }))
    batches.push(batch);
  expect(batches.flat()).toEqual([1, 2]);
});

it("gatherBatches pauses after a batch of several events, and not after a single event", async () => {
  const source = new PassThrough({ objectMode: true });
  const batches: number[][] = [];
  const done = (async () => {
    for await (const batch of gatherBatches<number>(source, { batchMax: 100 })) batches.push(batch);
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

it("gatherBatches does not pause when handling the batch before took longer than the pause", async () => {
  const source = new PassThrough({ objectMode: true });
  for (const item of [1, 2, 3, 4]) source.write([item]);
  const batches = gatherBatches<number>(source, { batchMax: 100 });
  expect((await batches.next()).value).toEqual([1, 2, 3, 4]);
  source.write([5]);
  await sleep(100);
  let next: number[] | undefined;
  void batches.next().then(({ value }) => (next = value as number[]));
  for (let turns = 0; turns < 5; turns += 1) await turn();
  expect(next).toEqual([5]);
});

/** How long one event waits that arrives right after a batch of this size. */
async function waitAfterBatch(size: number, batchWaitMs: number): Promise<number> {
  const source = new PassThrough({ objectMode: true });
  source.write(Array.from({ length: size }, (_, index) => index));
  const batches = gatherBatches<number>(source, { batchMax: 100, batchWaitMs });
  await batches.next();
  const yieldedMs = performance.now();
  source.write([size]);
  expect((await batches.next()).value).toEqual([size]);
  return performance.now() - yieldedMs;
}

it("gatherBatches pauses batchWaitMs after a large batch, and 50 ms after a small one", async () => {
  expect(await waitAfterBatch(40, 120)).toBeGreaterThan(115);
  expect(await waitAfterBatch(20, 600_000)).toBeGreaterThan(45);
});
