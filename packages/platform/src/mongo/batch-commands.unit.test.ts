import { MongoNetworkError } from "mongodb";
import { describe, expect, it } from "vitest";
import { batchCommands } from "./batch-commands.ts";

describe("together", () => {
  it("tries each item alone after a failed command, and rejects only the faulty one", async () => {
    const batches: (readonly number[])[] = [];
    const call = batchCommands<number, number>(10, async (items) => {
      batches.push(items);
      if (items.includes(2)) throw new Error("two is invalid");
      return items;
    });
    const settled = await Promise.allSettled([1, 2, 3].map((item) => call(item)));
    expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(batches).toEqual([[1, 2, 3], [1], [2], [3]]);
  });

  it("does not try again when the outcome of the command is unknown", async () => {
    const batches: (readonly number[])[] = [];
    const call = batchCommands<number, number>(10, async (items) => {
      batches.push(items);
      throw new MongoNetworkError("the connection closed");
    });
    const settled = await Promise.allSettled([1, 2].map((item) => call(item)));
    expect(settled.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(batches).toEqual([[1, 2]]);
  });
});
