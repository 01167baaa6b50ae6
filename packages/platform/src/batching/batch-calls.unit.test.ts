import { setImmediate as nextTick } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { batchCalls, batchCallsPerTick } from "./batch-calls.ts";

/** A handler that notes its batches and answers each item with its double. */
function doubling(waitFor: (batchCount: number) => Promise<void> = async () => {}) {
  const batches: (readonly number[])[] = [];
  const handle = async (items: readonly number[]) => {
    batches.push(items);
    await waitFor(batches.length);
    return items.map((item) => 2 * item);
  };
  return { batches, handle };
}

describe("batchCallsPerTick", () => {
  it("answers the calls of one event-loop turn from one batch, each with its own outcome", async () => {
    const { batches, handle } = doubling();
    const double = batchCallsPerTick(10, handle);
    expect(await Promise.all([double(1), double(2), double(1)])).toEqual([2, 4, 2]);
    expect(await double(3)).toBe(6);
    expect(batches).toEqual([[1, 2, 1], [3]]);
  });

  it("starts a batch while an earlier one runs, and never exceeds the maximum size", async () => {
    const release = Promise.withResolvers<void>();
    const { batches, handle } = doubling(async () => release.promise);
    const double = batchCallsPerTick(2, handle);
    const calls = [1, 2, 3].map((item) => double(item));
    await nextTick();
    calls.push(double(4));
    await nextTick();
    expect(batches).toEqual([[1, 2], [3], [4]]);
    release.resolve();
    expect(await Promise.all(calls)).toEqual([2, 4, 6, 8]);
  });
});

describe("batchCalls", () => {
  it("collects the calls that arrive while a batch runs into the next batches", async () => {
    const first = Promise.withResolvers<void>();
    const { batches, handle } = doubling(async (count) =>
      count === 1 ? first.promise : undefined,
    );
    const double = batchCalls(3, handle);
    const calls = [double(1)];
    await nextTick();
    calls.push(...[2, 3, 4, 5].map((item) => double(item)));
    await nextTick();
    expect(batches).toEqual([[1]]);
    first.resolve();
    expect(await Promise.all(calls)).toEqual([2, 4, 6, 8, 10]);
    expect(batches).toEqual([[1], [2, 3, 4], [5]]);
    expect(await double(6)).toBe(12);
    expect(batches).toEqual([[1], [2, 3, 4], [5], [6]]);
  });

  it("gathers more calls after a batch of several, and not after a single call", async () => {
    const gathered = Promise.withResolvers<void>();
    const { batches, handle } = doubling();
    const double = batchCalls(100, handle, () => gathered.promise);
    const calls = [1, 2, 3, 4].map((item) => double(item));
    await nextTick();
    for (const item of [5, 6]) {
      calls.push(double(item));
      await nextTick();
    }
    expect(batches).toEqual([[1, 2, 3, 4]]);
    gathered.resolve();
    await nextTick();
    calls.push(double(7));
    expect(await Promise.all(calls)).toEqual([2, 4, 6, 8, 10, 12, 14]);
    expect(batches).toEqual([[1, 2, 3, 4], [5, 6], [7]]);
  });

  it("rejects only the call whose outcome is an error", async () => {
    const refused = new Error("two is refused");
    const check = batchCalls<number, number>(10, async (items) =>
      items.map((item) => (item === 2 ? refused : item)),
    );
    expect(await Promise.allSettled([check(1), check(2)])).toEqual([
      { status: "fulfilled", value: 1 },
      { status: "rejected", reason: refused },
    ]);
  });

  it("rejects all calls of a batch that fails, and goes on with the next one", async () => {
    const failure = new Error("the batch failed");
    let isFailing = true;
    const call = batchCalls<number, number>(10, async (items) => {
      if (isFailing) throw failure;
      return items;
    });
    const failed = await Promise.allSettled([call(1), call(2)]);
    expect(failed.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    isFailing = false;
    expect(await call(3)).toBe(3);
  });
});
