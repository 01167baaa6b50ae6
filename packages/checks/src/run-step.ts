import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import type { Step, TestKind } from "./steps.ts";
import { countTests, noTests, type TestCount } from "./count-tests.ts";
import { describeFailedTests } from "./failed-tests.ts";
import { readReport } from "./test-report.ts";

export interface StepResult {
  readonly name: string;
  readonly passed: boolean;
  readonly tests: TestCount;
  /** The output of a failed command, or the list of failed tests. */
  readonly output: string;
}

export async function runStep(
  root: string,
  step: Step,
  filters: readonly string[],
): Promise<StepResult> {
  if ("tests" in step) return runTests(root, step.name, step.tests, filters);
  const { code, output } = await run(root, step.command, "collect");
  return { name: step.name, passed: code === 0, tests: noTests, output };
}

async function runTests(
  root: string,
  name: string,
  kind: TestKind,
  filters: readonly string[],
): Promise<StepResult> {
  const folder = mkdtempSync(join(tmpdir(), "malipo-check-"));
  const report = join(folder, "report.json");
  const command = [
    "vitest",
    "run",
    "--config=packages/checks/vitest.config.ts",
    `--project=${kind}`,
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${report}`,
    // An attack and its load need the machine for themselves.
    ...(kind === "attack" ? ["--maxWorkers=1"] : []),
    ...(filters.length > 0 ? ["--passWithNoTests"] : []),
    ...filters,
  ];
  const { code } = await run(root, command, "show");
  const result = readReport(report);
  rmSync(folder, { recursive: true, force: true });
  if (result === undefined)
    return { name, passed: false, tests: noTests, output: "vitest wrote no report." };
  const tests = countTests(result);
  return {
    name,
    passed: code === 0 && tests.failed === 0,
    tests,
    output: describeFailedTests(result),
  };
}

async function run(
  root: string,
  [command = "", ...args]: readonly string[],
  output: "collect" | "show",
): Promise<{ code: number; output: string }> {
  const bin = join(root, "node_modules/.bin");
  const child = spawn(join(bin, command), args, {
    cwd: root,
    stdio: [
      "ignore",
      output === "show" ? "inherit" : "pipe",
      output === "show" ? "inherit" : "pipe",
    ],
    env: { ...process.env, PATH: `${bin}${delimiter}${process.env["PATH"] ?? ""}` },
  });
  const ended = new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? 1));
  });
  const printed = Promise.all(
    [child.stdout, child.stderr].map(async (s) => (s === null ? "" : text(s))),
  );
  return { code: await ended, output: (await printed).join("").trim() };
}
