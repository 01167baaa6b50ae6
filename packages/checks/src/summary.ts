import { addCounts, noTests } from "./count-tests.ts";
import type { StepResult } from "./run-step.ts";

/** The last line of a run, for people and for programs. */
export function summaryLine(results: readonly StepResult[], tookMs: number): string {
  const tests = results.map((result) => result.tests).reduce(addCounts, noTests);
  const failedSteps = results.filter(({ passed }) => !passed).map(({ name }) => name);
  const skipped = tests.skipped > 0 ? `, ${tests.skipped} skipped` : "";
  const steps =
    failedSteps.length === 0
      ? `all ${results.length} steps passed`
      : `${results.length - failedSteps.length} of ${results.length} steps passed, failed: ${failedSteps.join(", ")}`;
  const seconds = Math.round(tookMs / 1000);
  return `Tests: ${tests.passed} passed, ${tests.failed} failed${skipped}. Steps: ${steps}. ${seconds} s.`;
}
