import { expect, test } from "vitest";
import { descendantsOf, parseMachineCpu, parseMemory, parseStat } from "./process-usage.ts";

const stat = (pid: number, parent: number, name = "node") =>
  `${pid} (${name}) S ${parent} 1 1 0 -1 4194304 900 0 0 0 250 50 7 7 20 0 11 0 100 1000 200`;

test("parseStat reads parent and CPU, also when the process name contains brackets and spaces", () => {
  expect(parseStat(stat(42, 7))).toEqual({
    pid: 42,
    parent: 7,
    cpuMicros: 3_000_000,
    endedChildrenMicros: 140_000,
  });
  expect(parseStat(stat(42, 7, "odd) name (x"))).toMatchObject({ pid: 42, parent: 7 });
  expect(() => parseStat("nothing")).toThrow(/not a line/);
});

test("descendantsOf finds every process below the root, and no other", () => {
  const processes = [stat(4, 3), stat(3, 1), stat(2, 1), stat(1, 0), stat(9, 8)].map(parseStat);
  expect(new Set(descendantsOf(1, processes))).toEqual(new Set([1, 2, 3, 4]));
  expect(descendantsOf(8, processes)).toEqual([8, 9]);
});

test("parseMemory converts the kernel's kilobytes to bytes", () => {
  const rollup = "5563-7ffd ---p 00000000 00:00 0 [rollup]\nRss:    2048 kB\nPss:    1024 kB\n";
  expect(parseMemory(rollup, "Name:\tnode\nVmHWM:\t 4096 kB\n")).toEqual({
    rssBytes: 2_097_152,
    pssBytes: 1_048_576,
    peakRssBytes: 4_194_304,
  });
  expect(() => parseMemory(rollup, "")).toThrow(/VmHWM/);
});

test("parseMachineCpu counts busy time and leaves out idle and waiting time", () => {
  const stat = "cpu  10 20 30 4000 500 6 7 0 0 0\ncpu0 1 1 1 1 1 1 1 0 0 0\n";
  expect(parseMachineCpu(stat)).toBe(730_000);
});
