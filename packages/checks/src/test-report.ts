import { readFileSync } from "node:fs";

/** The fields that we read of vitest's JSON report. */
export interface TestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly TestFile[];
}

export interface TestFile {
  readonly name: string;
  readonly status: string;
  readonly message?: string;
  readonly assertionResults: readonly {
    readonly fullName: string;
    readonly status: string;
    readonly failureMessages: readonly string[] | null;
  }[];
}

export const couldNotBeLoaded = (file: TestFile): boolean =>
  file.status === "failed" && file.assertionResults.length === 0;

export function readReport(path: string): TestReport | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as TestReport;
  } catch {
    // The run ended before vitest wrote a report. Its exit code marks the step as failed.
    return undefined;
  }
}
