import { couldNotBeLoaded, type TestFile, type TestReport } from "./test-report.ts";

/** Lines shown of each failure: the start of its message, and where it was thrown. */
const maxLines = 15;

/** Lists every failed test, and every test file that could not be loaded, with the error messages. */
export function describeFailedTests(report: TestReport): string {
  return report.testResults.flatMap(failuresIn).join("\n\n");
}

function failuresIn(file: TestFile): string[] {
  if (couldNotBeLoaded(file))
    return [describeFailure(`${file.name} could not be loaded`, file.message ?? "")];
  return file.assertionResults
    .filter(({ status }) => status === "failed")
    .map((test) =>
      describeFailure(`${file.name}: ${test.fullName}`, (test.failureMessages ?? []).join("\n")),
    );
}

function describeFailure(title: string, message: string): string {
  const lines = message.split("\n").slice(0, maxLines);
  return [`✗ ${title}`, ...lines.map((line) => `  ${line}`)].join("\n");
}
