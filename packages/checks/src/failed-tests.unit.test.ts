import { expect, test } from "vitest";
import { countTests } from "./count-tests.ts";
import { failedTests } from "./failed-tests.ts";
import type { TestFile, TestReport } from "./test-report.ts";

const passed = { status: "passed", fullName: "money adds up", failureMessages: [] };
const failed = {
  status: "failed",
  fullName: "money is split",
  failureMessages: ["AssertionError: expected 1 to be 2\n    at split.test.ts:3:1"],
};
const unloadable = {
  name: "a.test.ts",
  status: "failed",
  message: "no such module",
  assertionResults: [],
};

function reportOf(...testResults: TestFile[]): TestReport {
  return {
    numPassedTests: 5,
    numFailedTests: 1,
    numPendingTests: 2,
    numTodoTests: 1,
    testResults,
  };
}

test("a failed test is counted, and told with its file, its name and its message", () => {
  const report = reportOf(
    { name: "core/split.test.ts", status: "failed", assertionResults: [passed, failed] },
    { name: "core/add.test.ts", status: "passed", assertionResults: [passed] },
  );
  expect(countTests(report)).toEqual({ passed: 5, failed: 1, skipped: 3 });
  expect(failedTests(report)).toBe(
    [
      "✗ core/split.test.ts: money is split",
      "  AssertionError: expected 1 to be 2",
      "      at split.test.ts:3:1",
    ].join("\n"),
  );
});

test("so is a file that could not be loaded", () => {
  const report = reportOf(unloadable);
  expect(countTests(report).failed).toBe(2);
  expect(failedTests(report)).toBe("✗ a.test.ts could not be loaded\n  no such module");
});

test("a long message is cut", () => {
  const message = Array.from({ length: 100 }, (_, line) => `line ${line}`).join("\n");
  const long = { ...failed, failureMessages: [message] };
  const told = failedTests(reportOf({ name: "a", status: "failed", assertionResults: [long] }));
  expect(told).toContain("line 14");
  expect(told).not.toContain("line 15");
});
