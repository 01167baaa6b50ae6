import { expect, test } from "vitest";
import {
  atLeast,
  atMost,
  number,
  otherLoadText,
  renderOutcome,
  renderTable,
  withSpread,
} from "./report.ts";

test("a bar is met when the value equals its limit, and shows limit and value", () => {
  expect(atLeast({ name: "share", limit: 0.4 }, 0.4)).toEqual({
    name: "share",
    wanted: "≥ 0.40",
    measured: "0.40",
    met: true,
  });
  expect(atLeast({ name: "share", limit: 0.4 }, 0.39).met).toBe(false);
  expect(atMost({ name: "CPU", limit: 50, unit: "µs" }, 50.2)).toEqual({
    name: "CPU",
    wanted: "≤ 50.0 µs",
    measured: "50.2 µs",
    met: false,
  });
  expect(atMost({ name: "CPU", limit: 50 }, Number.NaN).met).toBe(false);
});

test("number shows one decimal below 100 and none above", () => {
  expect([16_812.4, 99.95, 0.04, -3.21].map(number)).toEqual(["16,812", "100.0", "0.0", "-3.2"]);
  expect(withSpread({ median: 16_812.4, spread: 0.061 })).toBe("16,812 (6 %)");
});

test("renderTable aligns the columns", () => {
  const table = {
    title: "T",
    columns: ["", "rate"],
    rows: [
      ["node:http", "9"],
      ["a", "1,000"],
    ],
  };
  expect(renderTable(table)).toBe("T\n            rate\nnode:http      9\na          1,000");
});

test("renderOutcome ends with the bars when there are any", () => {
  const table = { title: "T", columns: ["x"], rows: [] };
  const bars = [atMost({ name: "CPU", limit: 1 }, 2), atMost({ name: "more", limit: 1 }, 1)];
  const report = renderOutcome({ measurements: [], tables: [table], bars });
  expect(report).toMatch(/^T\nx\n\nBars\n/);
  expect(report).toMatch(/CPU.*2\.00 {2}NOT MET\nmore.*1\.00 {6}met$/);
  expect(renderOutcome({ measurements: [], tables: [table], bars: [] })).toBe("T\nx");
});

test("otherLoadText warns when other processes use more than 5 % of the machine", () => {
  expect(otherLoadText(0.05)).toBe("Other processes used 5 % of the machine during the run.");
  expect(otherLoadText(0.3)).toMatch(/30 % .*: measure again on a quiet machine\.$/);
});
