import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { inBlocks } from "./log-blocks.ts";

let written: string[];
let flushes: number;
const open = () =>
  inBlocks({ write: (block) => written.push(block), flushSync: () => void (flushes += 1) });

beforeEach(() => {
  vi.useFakeTimers();
  written = [];
  flushes = 0;
});
afterEach(() => {
  vi.useRealTimers();
});

it("keeps lines together until a quarter of a second has passed", () => {
  const blocks = open();
  blocks.write("one\n");
  blocks.write("two\n");
  expect(written).toEqual([]);
  vi.advanceTimersByTime(250);
  expect(written).toEqual(["one\ntwo\n"]);
  vi.advanceTimersByTime(1_000);
  expect(written).toHaveLength(1);
});

it("hands over a full block at once, each line once and in its order", () => {
  const blocks = open();
  const lines = Array.from({ length: 5_000 }, (_, index) => `line ${index}\n`);
  for (const line of lines) blocks.write(line);
  expect(written.length).toBeGreaterThan(1);
  blocks.flushSync();
  expect(written.join("")).toBe(lines.join(""));
  expect(flushes).toBe(1);
});
