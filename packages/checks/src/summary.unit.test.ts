import { expect, test } from "vitest";
import { noTests } from "./count-tests.ts";
import { summaryLine } from "./summary.ts";

const types = { name: "types", passed: true, tests: noTests, output: "" };
const unit = {
  name: "unit tests",
  passed: true,
  tests: { passed: 40, failed: 0, skipped: 2 },
  output: "",
};

test("summaryLine shows how many tests passed, failed and were skipped", () => {
  expect(summaryLine([types, unit], 61_400)).toBe(
    "Tests: 40 passed, 0 failed, 2 skipped. Steps: all 2 steps passed. 61 s.",
  );
});

test("summaryLine names failed steps, also those without a failed test", () => {
  const lint = { ...types, name: "lint", passed: false };
  const int = { ...unit, name: "int tests", passed: false, tests: { ...noTests, failed: 3 } };
  expect(summaryLine([types, lint, int], 1000)).toBe(
    "Tests: 0 passed, 3 failed. Steps: 1 of 3 steps passed, failed: lint, int tests. 1 s.",
  );
});
