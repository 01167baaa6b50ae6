import { execFile } from "node:child_process";
import { globSync } from "node:fs";
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
