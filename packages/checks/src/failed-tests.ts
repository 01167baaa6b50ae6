import { couldNotBeLoaded, type TestFile, type TestReport } from "./test-report.ts";

/** What a person needs of a failure: the start of its message, and where it was thrown. */
const maxLines = 15;

/** Every failed test, and file that could not be loaded, in words. */
export function failedTests(report: TestReport): string {
  return report.testResults.flatMap(failuresIn).join("\n\n");
}

function failuresIn(file: TestFile): string[] {
  if (couldNotBeLoaded(file))
    return [failure(`${file.name} could not be loaded`, file.message ?? "")];
  return file.assertionResults
    .filter(({ status }) => status === "failed")
    .map((test) =>
      failure(`${file.name}: ${test.fullName}`, (test.failureMessages ?? []).join("\n")),
    );
}

function failure(what: string, message: string): string {
  const lines = message.split("\n").slice(0, maxLines);
  return [`✗ ${what}`, ...lines.map((line) => `  ${line}`)].join("\n");
}
