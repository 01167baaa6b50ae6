import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import {
  breaksOfDoors,
  breaksOfImportRule,
  breaksOfPurity,
  circlesAmong,
  computedImportsOf,
} from "./rules.ts";
import { isTest, readSources, type SourceFile } from "./source-files.ts";

const allFiles = readSources("{packages,services}/*/{src,test}/**/*.ts");
const production = allFiles.filter((file) => file.path.split("/")[2] === "src" && !isTest(file));
const tests = allFiles.filter((file) => !production.includes(file));
const workspaces = [...new Set(production.map(({ workspace }) => workspace))];

const filesIn = (workspace: string): SourceFile[] =>
  production.filter((file) => file.workspace === workspace);

/** The packages that a production file of each workspace may import; all services share one entry. */
const allowedPackages: Readonly<Record<string, readonly string[]>> = {
  core: [],
  contracts: ["core"],
  "contract-tools": ["core", "contracts"],
  platform: ["core", "contracts"],
  print: ["core"],
  "embedded-mongo": [],
  "mpesa-simulator": ["core", "contracts"],
  cli: ["core", "contracts"],
  services: ["core", "contracts", "platform", "print"],
  // The gateway serves the OpenAPI document.
  "services/gateway": ["core", "contracts", "contract-tools", "platform", "print"],
};

/** Tools and tests: they may import every package, apart from those listed here. */
const forbiddenPackages: Readonly<Record<string, readonly string[]>> = {
  local: ["testing", "bench", "checks"],
  testing: ["bench", "checks"],
  bench: ["checks"],
  checks: [],
};

function mayImport(workspace: string): (imported: string) => boolean {
  const [kind = "", name = ""] = workspace.split("/");
  const key = kind === "services" ? kind : name;
  const allowed = (allowedPackages[workspace] ?? allowedPackages[key])?.map(
    (each) => `packages/${each}`,
  );
  if (allowed) return (imported) => allowed.includes(imported);
  const forbidden = forbiddenPackages[key]?.map((each) => `packages/${each}`);
  if (forbidden) return (imported) => !forbidden.includes(imported);
  throw new Error(`${workspace} has no entry in the import rule`);
}

describe("the import rule core <- contracts <- platform <- services", () => {
  it.each(workspaces)("is kept by the production code of %s", (workspace) => {
    const breaks = filesIn(workspace).flatMap((file) =>
      breaksOfImportRule(file, mayImport(workspace)),
    );
    expect(breaks).toEqual([]);
  });

  it("lets no test of a service import another service", () => {
    const ofServices = tests.filter(({ workspace }) => workspace.startsWith("services/"));
    const breaks = ofServices.flatMap((file) =>
      breaksOfImportRule(file, (imported) => imported.startsWith("packages/")),
    );
    expect(breaks).toEqual([]);
  });
});

describe("purity: domain/ imports core, contracts and its own domain, and reads no clock", () => {
  it.each(workspaces)("is kept by %s", (workspace) => {
    expect(filesIn(workspace).flatMap(breaksOfPurity)).toEqual([]);
  });
});

describe("doors: a room of platform is imported through its index.ts", () => {
  it.each(workspaces)("is kept by %s", (workspace) => {
    expect(filesIn(workspace).flatMap(breaksOfDoors)).toEqual([]);
  });
});

describe("no circles between files, import type included", () => {
  it.each(workspaces)("is kept within %s", (workspace) => {
    expect(circlesAmong(filesIn(workspace))).toEqual([]);
  });

  it("is kept between the workspaces", () => {
    expect(circlesAmong(production)).toEqual([]);
  });
});

describe("no import() of a computed module name", () => {
  it.each(workspaces)("is kept by %s", (workspace) => {
    expect(filesIn(workspace).flatMap(computedImportsOf)).toEqual([]);
  });
});

it("only main.ts of a service reads the process", () => {
  const readers = production
    .filter(({ path }) => path.startsWith("services/") && basename(path) !== "main.ts")
    .filter(({ text }) => /\bprocess\.\w/.test(text));
  expect(readers.map(({ path }) => path)).toEqual([]);
});
