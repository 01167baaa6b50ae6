import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openBatchQueue } from "./batch-queue.ts";

/** A queue whose batches stay in hand until they are let go. */
function heldQueue() {
  const inHand: { readonly batch: readonly number[]; readonly letGo: () => void }[] = [];
  const queue = openBatchQueue<number>(
    (batch) => new Promise((letGo) => inHand.push({ batch, letGo })),
  );
  let next = 0;
  return {
    ...queue,
    inHand,
    put: (count: number) => Array.from({ length: count }, () => queue.put(next++)),
    letGo: () => inHand.shift()?.letGo(),
  };
}

describe("a queue worked off in batches", () => {
  it("hands over together what was put in together, alone or many", async () => {
    const queue = heldQueue();
    queue.put(3);
    await turn();
    expect(queue.inHand).toMatchObject([{ batch: [0, 1, 2] }]);
  });

  it("begins a second batch beside the first when it is full, and no third", async () => {
    const queue = heldQueue();
    queue.put(1);
    await turn();
    queue.put(199);
    await turn();
    expect(queue.inHand).toHaveLength(1);
    queue.put(1_000);
    await turn();
    expect(queue.inHand.map(({ batch }) => batch.length)).toEqual([1, 200]);
  });

  it("has room again as soon as few wait", async () => {
    const queue = heldQueue();
    await queue.room();
    queue.put(800);
    await turn();
    let hasRoom = false;
    void queue.room().then(() => (hasRoom = true));
    await turn();
    expect(hasRoom).toBe(false);
    queue.letGo();
    await turn();
    expect(hasRoom).toBe(true);
  });

  it("is flushed when what was there is done, however much comes after it", async () => {
    const queue = heldQueue();
    queue.put(1);
    await turn();
    queue.put(1);
    let isFlushed = false;
    void queue.flush().then(() => (isFlushed = true));
    queue.put(200);
    queue.letGo();
    await turn();
    expect(isFlushed).toBe(false);
    queue.put(400);
    queue.letGo();
    await turn();
    expect(isFlushed).toBe(true);
  });

  it("takes no more than it can hold", () => {
    const queue = heldQueue();
    expect(queue.put(10_001).indexOf(false)).toBe(10_000);
  });

  it("works off everything in its order, whenever it comes and whatever ends first", async () => {
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
          await turn();
          for (let index = 0; index < step.ends; index += 1) ends.pop()?.();
        }
        const flushed = { isDone: false };
        void queue.flush().then(() => (flushed.isDone = true));
        while (!flushed.isDone) {
          ends.shift()?.();
          await turn();
        }
        expect(begun).toEqual(Array.from({ length: put }, (_, index) => index));
      }),
      { numRuns: 50 },
    );
  });
});
