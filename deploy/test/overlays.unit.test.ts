import { execFile } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { serviceNames } from "@malipo/contracts";
import { workspaceRoot } from "@malipo/local";
import { temporaryFolder } from "@malipo/testing";
import { describe, expect, it } from "vitest";
import { readText } from "./files.ts";
import { kustomize } from "./kustomize.ts";
import { buildOverlay, deploymentsIn, type Manifest, podOf } from "./manifests.ts";

const run = promisify(execFile);

function imagesIn(manifests: readonly Manifest[]): string[] {
  return deploymentsIn(manifests).flatMap((deployment) => {
    const { containers, initContainers = [] } = podOf(deployment);
    return [...initContainers, ...containers].map(({ image = "" }) => image);
  });
}

function byName(manifests: readonly Manifest[]): Map<string, Manifest> {
  return new Map(
    manifests.map((manifest) => [`${manifest.kind} ${manifest.metadata.name}`, manifest]),
  );
}

/** Splits a Markdown text into its shell blocks, without their indentation. */
function shellBlocks(markdown: string): string[] {
  const blocks = markdown.matchAll(/^( *)```sh\n([\s\S]*?)^ *```$/gm);
  return [...blocks].map(([, indentation = "", block = ""]) =>
    block.replaceAll(new RegExp(`^${indentation}`, "gm"), ""),
  );
}

describe.each(["live", "sandbox"])("the overlay %s", (overlay) => {
  const whole = buildOverlay(overlay);

  it("names the registry and the tag or digest of every image", () => {
    const images = imagesIn(whole);
    expect(images).toHaveLength(serviceNames.length);
    const hasRegistryAndRelease =
      /^[\w.-]+\.[\w.-]+(?::\d+)?\/[\w./-]+(?::[\w.-]+|@sha256:\w{64})$/;
    expect(images.filter((image) => !hasRegistryAndRelease.test(image))).toEqual([]);
    expect(images.filter((image) => image.endsWith(":latest"))).toEqual([]);
  });

  it("lets every pod log in to the registry", () => {
    const accounts = whole.filter(({ kind }) => kind === "ServiceAccount");
    expect(accounts).toHaveLength(serviceNames.length);
    for (const account of accounts) {
      expect(account).toMatchObject({ imagePullSecrets: [{ name: "malipo-registry" }] });
    }
  });

  it("consists of the environment and one overlay for each service", () => {
    const parts = ["environment", ...serviceNames].map((part) => `${overlay}/${part}`);
    expect(byName(parts.flatMap(buildOverlay))).toEqual(byName(whole));
  });

  it.each(serviceNames.map((name) => [name]))(
    "releases %s with manifests and settings of its own only",
    (service) => {
      const manifests = buildOverlay(`${overlay}/${service}`);
      const owners = manifests.map(({ metadata }) => metadata.labels?.["app.kubernetes.io/name"]);
      expect(new Set(owners)).toEqual(new Set([service]));
      expect(new Set(manifests.map(({ metadata }) => metadata.namespace))).toEqual(
        new Set([`malipo-${overlay}`]),
      );
      const [deployment] = deploymentsIn(manifests);
      const [container] = deployment ? podOf(deployment).containers : [];
      const name = `malipo-${service}`;
      expect(container?.envFrom).toEqual([{ configMapRef: { name } }]);
      const shared = (container?.env ?? []).filter(({ valueFrom }) => valueFrom?.configMapKeyRef);
      expect(shared).toEqual([]);
    },
  );

  it("gives the services that read the same setting the same value", () => {
    const values = new Map<string, Set<string>>();
    for (const { kind, data = {} } of whole) {
      if (kind !== "ConfigMap") continue;
      for (const [name, value] of Object.entries(data)) {
        values.set(name, (values.get(name) ?? new Set()).add(value));
      }
    }
    expect([...values].filter(([, { size }]) => size > 1)).toEqual([]);
    expect(values.get("PUBLIC_URL")?.size).toBe(1);
  });
});

it("the guide's commands set registry, tag and host of a whole environment", async () => {
  const command = shellBlocks(readText("deploy/README.md")).find((block) =>
    block.includes("newTag:"),
  );
  const folder = temporaryFolder();
  cpSync(join(workspaceRoot, "deploy/k8s"), join(folder, "deploy/k8s"), { recursive: true });
  const settings = "registry=localhost:5000/team\ntag=1.2.3\n";
  await run("sh", ["-ec", settings + command], { cwd: folder });
  const manifests = kustomize(join(folder, "deploy/k8s/overlays/live"));
  expect(imagesIn(manifests).toSorted()).toEqual(
    serviceNames.map((service) => `localhost:5000/team/malipo/${service}:1.2.3`).toSorted(),
  );
  const ingress = manifests.find(({ kind }) => kind === "Ingress");
  expect(ingress).toMatchObject({
    spec: { tls: [{ hosts: ["pay.example.com"] }], rules: [{ host: "pay.example.com" }] },
  });
  expect(JSON.stringify(manifests)).not.toMatch(/malipo\.example\.com|registry\.example\.com/);
});
