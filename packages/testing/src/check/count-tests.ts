export interface TestCount {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export const noTests: TestCount = { passed: 0, failed: 0, skipped: 0 };

/** From the JSON report of a run; a test file that could not be loaded counts as one failed test. */
export function countTests(report: unknown): TestCount {
  if (typeof report !== "object" || report === null) return noTests;
  const numbers: Record<string, unknown> = { ...report };
  const number = (name: string): number => {
    const value = numbers[name];
    return typeof value === "number" ? value : 0;
  };
  return {
    passed: number("numPassedTests"),
    failed: number("numFailedTests") + unloadable(numbers["testResults"]),
    skipped: number("numPendingTests") + number("numTodoTests"),
  };
}

function unloadable(files: unknown): number {
  if (!Array.isArray(files)) return 0;
  return files.filter(
    (file: { status?: unknown; assertionResults?: unknown }) =>
      file.status === "failed" &&
      Array.isArray(file.assertionResults) &&
      file.assertionResults.length === 0,
  ).length;
}

export function addCounts(a: TestCount, b: TestCount): TestCount {
  return {
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
  };
}
