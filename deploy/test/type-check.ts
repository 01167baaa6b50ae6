import { execFile } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { workspaceRoot } from "@malipo/local";
import { temporaryFolder } from "@malipo/testing";
import type { Manifest } from "./manifests.ts";

const run = promisify(execFile);

/** The module of kubernetes-types for each API version. Its types are generated from Kubernetes' schemas. */
const typeModules: Readonly<Record<string, string>> = {
  v1: "core/v1",
  "apps/v1": "apps/v1",
  "policy/v1": "policy/v1",
  "autoscaling/v2": "autoscaling/v2",
  "networking.k8s.io/v1": "networking/v1",
};

/**
 * Type-checks manifests as TypeScript literals, which reports each field that is missing, unknown or of
 * a wrong type. Returns the compiler's output, empty when there are no errors.
 */
export async function findTypeErrors(manifests: readonly Manifest[]): Promise<string> {
  const folder = temporaryFolder();
  symlinkSync(join(workspaceRoot, "node_modules"), join(folder, "node_modules"));
  const lines = manifests.map((manifest, index) => {
    const module = typeModules[manifest.apiVersion];
    if (module === undefined) throw new Error(`no types are listed for ${manifest.apiVersion}`);
    const type = `import("kubernetes-types/${module}.js").${manifest.kind}`;
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
