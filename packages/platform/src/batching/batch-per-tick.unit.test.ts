import { setImmediate as nextTick } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { batchPerTick } from "./batch-calls.ts";

describe("batchPerTick", () => {
  it("handles the items of one event-loop turn together and in their order", async () => {
    const batches: (readonly number[])[] = [];
    const add = batchPerTick<number>(10, (items) => batches.push(items));
    add(1);
    await Promise.resolve();
    add(2);
    expect(batches).toEqual([]);
    await nextTick();
    add(3);
    await nextTick();
    expect(batches).toEqual([[1, 2], [3]]);
  });

  it("handles a full batch at once and never exceeds the maximum size", async () => {
    const batches: (readonly number[])[] = [];
    const add = batchPerTick<number>(2, (items) => batches.push(items));
    for (const item of [1, 2, 3, 4, 5]) add(item);
    expect(batches).toEqual([
      [1, 2],
      [3, 4],
    ]);
    await nextTick();
    expect(batches).toEqual([[1, 2], [3, 4], [5]]);
  });
});
