import { setImmediate as nextTick } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openBatchQueue } from "./batch-queue.ts";

/** A queue whose batches run until the test ends them. */
function queueWithOpenBatches() {
  const running: { readonly batch: readonly number[]; readonly end: () => void }[] = [];
  const queue = openBatchQueue<number>(
    (batch) => new Promise((end) => running.push({ batch, end })),
  );
  let next = 0;
  return {
    ...queue,
    running,
    put: (count: number) => Array.from({ length: count }, () => queue.put(next++)),
    endOldest: () => running.shift()?.end(),
  };
}

describe("a batch queue", () => {
  it("handles items that are put in at the same time as one batch", async () => {
    const queue = queueWithOpenBatches();
    queue.put(3);
    await nextTick();
    expect(queue.running).toMatchObject([{ batch: [0, 1, 2] }]);
  });

  it("runs a second batch beside the first when it is full, and no third", async () => {
    const queue = queueWithOpenBatches();
    queue.put(1);
    await nextTick();
    queue.put(199);
    await nextTick();
    expect(queue.running).toHaveLength(1);
    queue.put(1_000);
    await nextTick();
    expect(queue.running.map(({ batch }) => batch.length)).toEqual([1, 200]);
  });

  it("has room again when few items wait", async () => {
    const queue = queueWithOpenBatches();
    await queue.waitForRoom();
    queue.put(800);
    await nextTick();
    let hasRoom = false;
    void queue.waitForRoom().then(() => (hasRoom = true));
    await nextTick();
    expect(hasRoom).toBe(false);
    queue.endOldest();
    await nextTick();
    expect(hasRoom).toBe(true);
  });

  it("is flushed when all earlier items are handled, no matter how many arrive later", async () => {
    const queue = queueWithOpenBatches();
    queue.put(1);
    await nextTick();
    queue.put(1);
    let isFlushed = false;
    void queue.flush().then(() => (isFlushed = true));
    queue.put(200);
    queue.endOldest();
    await nextTick();
    expect(isFlushed).toBe(false);
    queue.put(400);
    queue.endOldest();
    await nextTick();
    expect(isFlushed).toBe(true);
  });

  it("refuses items beyond 10,000", () => {
    const queue = queueWithOpenBatches();
    expect(queue.put(10_001).indexOf(false)).toBe(10_000);
  });

  it("handles all items in their order, for any order of arrivals and of batch ends", async () => {
    const steps = fc.array(fc.record({ count: fc.nat(500), ends: fc.nat(3) }), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const begun: number[] = [];
        const ends: (() => void)[] = [];
        const queue = openBatchQueue<number>((batch) => {
          begun.push(...batch);
          return new Promise((end) => ends.push(end));
        });
        let put = 0;
        for (const step of all) {
          for (let index = 0; index < step.count; index += 1) queue.put(put++);
          await nextTick();
          for (let index = 0; index < step.ends; index += 1) ends.pop()?.();
        }
        const flushed = { isDone: false };
        void queue.flush().then(() => (flushed.isDone = true));
        while (!flushed.isDone) {
          ends.shift()?.();
          await nextTick();
        }
        expect(begun).toEqual(Array.from({ length: put }, (_, index) => index));
      }),
      { numRuns: 50 },
    );
  });
});
