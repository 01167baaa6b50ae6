import { expect, test } from "vitest";
import { findProblem } from "./problem-line.ts";

test.each([
  ['{"level":"error","msg":"no answer","err":{"message":"timed out"}}', "no answer (timed out)"],
  ['{"level":"fatal","msg":"gone"}', "gone"],
  ['{"level":50,"msg":"by number"}', "by number"],
  ["[123] 2026/11/21 08:00:00.000000 [ERR] disk is full", "[ERR] disk is full"],
  ["TypeError: x is not a function", "TypeError: x is not a function"],
  ['{"level":"error"}', '{"level":"error"}'],
])("findProblem returns the problem of %s", (line, shown) => {
  expect(findProblem(line)).toContain(shown);
});

test.each([
  [""],
  ['{"level":"info","msg":"started"}'],
  ['{"level":"warn","msg":"slow"}'],
  ['{"level":30,"msg":"by number"}'],
  ['{"level":"info","msg":"it says \\"level\\":\\"error\\" inside"}'],
  ["[123] 2026/11/21 08:00:00.000000 [INF] Server is ready"],
  ["listening on mongodb://127.0.0.1:27017/"],
])("findProblem returns undefined for %j", (line) => {
  expect(findProblem(line)).toBeUndefined();
});

test("findProblem cuts a long line to 2000 characters", () => {
  expect(findProblem("x".repeat(1_000_000))?.length).toBe(2000);
});
