import { expect, test } from "vitest";
import { countTests } from "./count-tests.ts";
import { describeFailedTests } from "./failed-tests.ts";
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

test("a failed test is counted, and listed with its file, its name and its message", () => {
  const report = reportOf(
    { name: "core/split.test.ts", status: "failed", assertionResults: [passed, failed] },
    { name: "core/add.test.ts", status: "passed", assertionResults: [passed] },
  );
  expect(countTests(report)).toEqual({ passed: 5, failed: 1, skipped: 3 });
  expect(describeFailedTests(report)).toBe(
    [
      "✗ core/split.test.ts: money is split",
      "  AssertionError: expected 1 to be 2",
      "      at split.test.ts:3:1",
    ].join("\n"),
  );
});

test("a test file that could not be loaded is counted as one failed test, and listed", () => {
  const report = reportOf(unloadable);
  expect(countTests(report).failed).toBe(2);
  expect(describeFailedTests(report)).toBe("✗ a.test.ts could not be loaded\n  no such module");
});

test("a failure message is cut after 15 lines", () => {
  const message = Array.from({ length: 100 }, (_, line) => `line ${line}`).join("\n");
  const long = { ...failed, failureMessages: [message] };
  const listed = describeFailedTests(
    reportOf({ name: "a", status: "failed", assertionResults: [long] }),
  );
  expect(listed).toContain("line 14");
  expect(listed).not.toContain("line 15");
});
