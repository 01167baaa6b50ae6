import { execFile } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { workspaceRoot } from "@malipo/local";
import { temporaryFolder } from "@malipo/testing";
import type { Manifest } from "./manifests.ts";

const run = promisify(execFile);

/** Where the types of each kind are; they are made from Kubernetes' own schemas. */
const modules: Readonly<Record<string, string>> = {
  v1: "core/v1",
  "apps/v1": "apps/v1",
  "policy/v1": "policy/v1",
  "autoscaling/v2": "autoscaling/v2",
  "networking.k8s.io/v1": "networking/v1",
};

/** Literals are checked to the last field: one that is missing, misspelt or of another type is told. */
export async function typeErrors(manifests: readonly Manifest[]): Promise<string> {
  const folder = temporaryFolder();
  symlinkSync(join(workspaceRoot, "node_modules"), join(folder, "node_modules"));
  const lines = manifests.map((manifest, index) => {
    const from = modules[manifest.apiVersion];
    if (from === undefined) throw new Error(`${manifest.apiVersion} is not among the schemas`);
    const type = `import("kubernetes-types/${from}.js").${manifest.kind}`;
    return `export const m${index}: ${type} = ${JSON.stringify(manifest, null, 1)};`;
  });
  writeFileSync(join(folder, "manifests.ts"), lines.join("\n"));
  const flags = ["--noEmit", "--strict", "--skipLibCheck", "--types", "", "--module", "nodenext"];
  const tsc = join(workspaceRoot, "node_modules/.bin/tsc");
  return run(tsc, [...flags, "manifests.ts"], { cwd: folder }).then(
    () => "",
    (failed: { stdout: string }) => failed.stdout,
  );
}
