import { execFile } from "node:child_process";
import { cpSync, existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { serviceNames } from "@malipo/contracts";
import { workspaceRoot } from "@malipo/local";
import { temporaryFolder } from "@malipo/testing";
import { describe, expect, it } from "vitest";
import { readText } from "./files.ts";

const run = promisify(execFile);

/** Workspaces that no image of a service needs at run time. */
const developmentPackages = [
  "bench",
  "checks",
  "cli",
  "embedded-mongo",
  "local",
  "mpesa-simulator",
  "testing",
].map((name) => `packages/${name}`);

/** The workspaces of this repository that prune.mjs puts into the image of a workspace. */
async function findWorkspacesInImage(workspace: string): Promise<string[]> {
  const folder = temporaryFolder();
  await run(process.execPath, ["deploy/prune.mjs", workspace, folder], { cwd: workspaceRoot });
  const manifests = globSync("{packages,services}/*/package.json", { cwd: folder });
  return manifests.map((path) => path.replace("/package.json", "")).toSorted();
}

describe("the image", () => {
  it("runs the Node release of the workspace, as a user that is not root", () => {
    const dockerfile = readText("deploy/Dockerfile");
    const { devDependencies } = JSON.parse(readText("package.json"));
    expect(dockerfile).toContain(`NODE_IMAGE=node:${devDependencies.node}-`);
    expect(dockerfile).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m);
    expect(dockerfile).toContain("/livez");
  });

  it("installs dependencies from the manifests alone, before any argument and source", () => {
    const stages = readText("deploy/Dockerfile").split(/^FROM /m);
    const build = stages.find((stage) => stage.includes("npm ci")) ?? "";
    const instructions = build.split("\n").filter((line) => /^(?:ARG|COPY|RUN) /.test(line));
    expect(instructions.slice(0, 3)).toEqual([
      "COPY --from=manifests /workspace .",
      "RUN npm ci --ignore-scripts",
      "COPY . .",
    ]);
  });

  it("takes every manifest, and nothing else, for the installation", async () => {
    const folder = temporaryFolder();
    const sources = globSync(["package.json", "package-lock.json", ".npmrc", "deploy/*.*"], {
      cwd: workspaceRoot,
    });
    const workspaces = globSync("{packages,services}/*/{package.json,src/main.ts}", {
      cwd: workspaceRoot,
    });
    for (const path of [...sources, ...workspaces]) {
      cpSync(join(workspaceRoot, path), join(folder, path));
    }
    const steps = readText("deploy/Dockerfile").matchAll(/^RUN (find .*)$/gm);
    for (const [, command = ""] of steps) await run("sh", ["-c", command], { cwd: folder });
    const left = globSync("**/*", { cwd: folder, withFileTypes: true });
    const files = left.filter((entry) => entry.isFile());
    expect(new Set(files.map(({ name }) => name))).toEqual(
      new Set(["package.json", "package-lock.json"]),
    );
    expect(files).toHaveLength(3 + workspaces.filter((path) => path.endsWith(".json")).length);
    expect(existsSync(join(folder, ".npmrc"))).toBe(true);
    expect(existsSync(join(folder, "services/gateway/src"))).toBe(false);
  });

  it("has labels for its version and revision, after all steps that a cache can keep", () => {
    const [last = ""] = readText("deploy/Dockerfile")
      .split(/^FROM /m)
      .slice(-1);
    expect(last).toMatch(/CMD \["node"[^]*ARG VERSION\nARG REVISION\nLABEL/);
    for (const label of ["title", "version", "revision"]) {
      expect(last).toContain(`org.opencontainers.image.${label}=`);
    }
  });

  it.each(serviceNames.map((name) => [name]))(
    "of %s contains no other service and no package for development",
    async (name) => {
      const workspaces = await findWorkspacesInImage(`services/${name}`);
      expect(workspaces).toEqual(
        expect.arrayContaining(["packages/core", "packages/platform", `services/${name}`]),
      );
      const others = serviceNames
        .filter((other) => other !== name)
        .map((other) => `services/${other}`);
      const unwanted = [...developmentPackages, ...others];
      expect(workspaces.filter((workspace) => unwanted.includes(workspace))).toEqual([]);
      // The gateway serves the OpenAPI document, so it is the only service that needs this package.
      expect(workspaces.includes("packages/contract-tools")).toBe(name === "gateway");
    },
  );
});
