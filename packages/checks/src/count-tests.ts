import { couldNotBeLoaded, type TestReport } from "./test-report.ts";

export interface TestCount {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export const noTests: TestCount = { passed: 0, failed: 0, skipped: 0 };

/** A test file that could not be loaded counts as one failed test. */
export function countTests(report: TestReport): TestCount {
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + report.testResults.filter(couldNotBeLoaded).length,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

export function addCounts(a: TestCount, b: TestCount): TestCount {
  return {
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
  };
}
