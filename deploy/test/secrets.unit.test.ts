import { execFile } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { passwordVariable } from "@malipo/contract-tools";
import { serviceNames } from "@malipo/contracts";
import { workspaceRoot } from "@malipo/local";
import { temporaryFolder } from "@malipo/testing";
import { describe, expect, it } from "vitest";
import { parseYaml, readText } from "./files.ts";
import { generateSecrets, type Manifest } from "./manifests.ts";

const run = promisify(execFile);
const script = join(workspaceRoot, "deploy/secrets.mjs");
const generated = await generateSecrets("malipo-live");

const fullNames = (manifests: readonly Manifest[]) =>
  manifests.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).toSorted();

describe("secrets.mjs", () => {
  it("refuses to replace a file, so that encryption keys are not lost", async () => {
    const file = join(temporaryFolder(), "secrets.json");
    await run(process.execPath, [script, "malipo-live", file]);
    const first = readFileSync(file, "utf8");
    const again = run(process.execPath, [script, "malipo-live", file]);
    await expect(again).rejects.toMatchObject({ code: 1, stderr: /exists and is not changed/ });
    expect(readFileSync(file, "utf8")).toBe(first);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("prints no secret, and shows its usage when the file is not named", async () => {
    const file = join(temporaryFolder(), "secrets.json");
    const { stdout } = await run(process.execPath, [script, "malipo-live", file]);
    expect(stdout).not.toMatch(/[0-9a-f]{32}|"/);
    const incomplete = run(process.execPath, [script, "malipo-live"]);
    await expect(incomplete).rejects.toMatchObject({ code: 2, stdout: "", stderr: /^usage:/ });
  });

  it("generates a password for every user of NATS", () => {
    const secret = generated.find(({ metadata }) => metadata.name === "malipo-nats");
    const users = [...serviceNames, "ops", "sys"] as const;
    expect(Object.keys(secret?.stringData ?? {}).toSorted()).toEqual(
      users.map(passwordVariable).toSorted(),
    );
  });
});

it("the guide creates secrets with a command that replaces none", () => {
  const guide = readText("deploy/README.md");
  expect(guide).toContain("kubectl create -f secrets.json");
  expect(guide).not.toMatch(/kubectl (?:apply|replace) -f secrets/);
});

it("the example for External Secrets creates the secrets that secrets.mjs generates", () => {
  const [store, ...secrets] = parseYaml(readText("deploy/external-secrets.yaml")) as Manifest[];
  expect(fullNames(secrets)).toEqual(fullNames(generated));
  for (const { kind, metadata, ...rest } of secrets) {
    expect({ kind, ...rest }).toMatchObject({
      kind: "ExternalSecret",
      spec: {
        secretStoreRef: { kind: store?.kind, name: store?.metadata.name },
        target: { creationPolicy: "Owner", deletionPolicy: "Retain" },
        dataFrom: [{ extract: { key: `malipo-live/${metadata.name}` } }],
      },
    });
  }
});
