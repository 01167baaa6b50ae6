import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

export type TestKind = "unit" | "int" | "e2e" | "long" | "attack";

export type Step =
  | { readonly name: string; readonly command: readonly string[] }
  | { readonly name: string; readonly tests: TestKind };

/** All steps of a run. With a filter these are the tests only, narrowed to paths that contain it. */
export function planSteps(
  root: string,
  run: { only?: "long" | "attack"; filtered: boolean },
): Step[] {
  if (run.only) return [testStep(run.only)];
  const tests = (["unit", "int", "e2e"] as const).map(testStep);
  return run.filtered ? tests : [...staticSteps(root), ...tests];
}

/** packages/core computes money and time: tests must cover every line and branch of it. */
const coreCoverage = [
  "vitest",
  "run",
  "--config=packages/checks/vitest.config.ts",
  "--project=unit",
  "--coverage.enabled",
  "--coverage.include=packages/core/src/**",
  "--coverage.reporter=text",
  "--coverage.reportsDirectory=.local/coverage",
  "--coverage.thresholds.100",
  "packages/core",
];

/** The contracts must stay compatible with the released snapshots. */
const contractsCheck = [
  "node",
  "--conditions=@malipo/source",
  "packages/contract-tools/src/main.ts",
  "check",
];

function testStep(kind: TestKind): Step {
  return { name: `${kind} tests`, tests: kind };
}

function staticSteps(root: string): Step[] {
  const projects = [...projectsOf(root), "packages/checks/tsconfig.tests.json"];
  return [
    { name: "types", command: ["tsc", "-b", ...projects] },
    { name: "lint", command: ["oxlint", "--type-aware"] },
    { name: "format", command: ["oxfmt", "--check"] },
    { name: "dead code", command: ["knip"] },
    { name: "contracts", command: contractsCheck },
    { name: "every branch of core", command: coreCoverage },
  ];
}

function projectsOf(root: string): string[] {
  return ["packages", "services"].flatMap((group) =>
    readdirSync(join(root, group))
      .map((name) => join(group, name))
      .filter((path) => existsSync(join(root, path, "tsconfig.json"))),
  );
}
