import { ensureNatsServer, UserError, workspaceRoot } from "@malipo/local";
import { addCounts, noTests } from "./count-tests.ts";
import { runStep, type StepResult } from "./run-step.ts";
import { planSteps } from "./steps.ts";
import { summaryLine } from "./summary.ts";

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1)} s`;

async function main(): Promise<number> {
  const given = process.argv.slice(2);
  const only = (["long", "attack"] as const).find((kind) => given.includes(`--${kind}`));
  const filters = given.filter((argument) => argument !== `--${only}`);
  const flag = filters.find((argument) => argument.startsWith("-"));
  if (flag !== undefined) {
    throw new UserError(
      `There is no flag ${flag}; npm test -- <part of a test file's path> runs those tests.`,
    );
  }
  const began = performance.now();
  await ensureNatsServer(workspaceRoot, print);
  const results: StepResult[] = [];
  for (const step of planSteps(workspaceRoot, {
    ...(only && { only }),
    filtered: filters.length > 0,
  })) {
    const stepBegan = performance.now();
    print(`\n── ${step.name}`);
    const result = await runStep(workspaceRoot, step, filters);
    if (!result.passed && "command" in step) print(result.output);
    print(`── ${step.name}: ${result.passed ? "passed" : "FAILED"} (${seconds(stepBegan)})`);
    results.push(result);
  }
  const tests = results.map((result) => result.tests).reduce(addCounts, noTests);
  const foundNone = tests.passed + tests.failed + tests.skipped === 0;
  if (foundNone && filters.length > 0)
    print(`\nNo test file's path contains ${filters.join(" or ")}.`);
  // Repeated at the end, so that the reasons of a red run are found without searching.
  for (const { name, output } of results.filter(({ passed }) => !passed))
    print(`\n── What failed: ${name}\n${output}`);
  print(`\n${summaryLine(results, performance.now() - began)}`);
  return results.every(({ passed }) => passed) && !foundNone ? 0 : 1;
}

// A Ctrl-C in the terminal reaches the running step as well, which ends without help.
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.once(name, () => process.exit(130));

process.exitCode = await main().catch((error: unknown) => {
  const text =
    error instanceof UserError
      ? error.message
      : String(error instanceof Error ? error.stack : error);
  process.stderr.write(`${text}\n`);
  return 1;
});
