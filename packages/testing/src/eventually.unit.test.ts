import { expect, test } from "vitest";
import { eventually } from "./eventually.ts";

test("gives what the condition returns once it holds", async () => {
  let asked = 0;
  const value = await eventually(() => {
    asked += 1;
    if (asked === 1) throw new Error("not yet");
    return asked > 2 && "here";
  });
  expect(value).toBe("here");
});

test("fails with the condition's last error", async () => {
  let asked = 0;
  const condition = (): never => {
    asked += 1;
    throw new Error(asked === 1 ? "the first" : "a later one");
  };
  await expect(eventually(condition, 50)).rejects.toThrow("a later one");
});

test("fails with the condition's text where it only says no", async () => {
  await expect(eventually(() => 1 > Number("2"), 30)).rejects.toThrow("Not true within 30 ms");
});
