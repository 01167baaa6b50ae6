import { expect, test } from "vitest";
import { eventually } from "./eventually.ts";

test("eventually resolves to the value of the condition once it holds", async () => {
  let asked = 0;
  const value = await eventually(() => {
    asked += 1;
    if (asked === 1) throw new Error("not yet");
    return asked > 2 && "here";
  });
  expect(value).toBe("here");
});

test("eventually fails with the last error of the condition", async () => {
  let asked = 0;
  const condition = (): never => {
    asked += 1;
    throw new Error(asked === 1 ? "the first" : "a later one");
  };
  await expect(eventually(condition, 50)).rejects.toThrow("a later one");
});

test("eventually fails with the source of a condition that only returns false", async () => {
  await expect(eventually(() => 1 > Number("2"), 30)).rejects.toThrow("Not true within 30 ms");
});
