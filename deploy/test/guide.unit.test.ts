import { execFile } from "node:child_process";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { serviceNames } from "@malipo/contracts";
import { workspaceRoot } from "@malipo/local";
import { temporaryFolder } from "@malipo/testing";
import { expect, it } from "vitest";
import { parseYaml, readText } from "./files.ts";
import { kustomize } from "./kustomize.ts";
import { imagesIn } from "./manifests.ts";
import { shellBlocks } from "./shell-blocks.ts";

const run = promisify(execFile);
const blocks = shellBlocks(readText("deploy/README.md"));

it("the guide's commands are valid shell", async () => {
  const file = join(temporaryFolder(), "guide.sh");
  writeFileSync(file, blocks.join("\n"));
  expect(blocks.length).toBeGreaterThan(10);
  expect(await run("bash", ["-n", file])).toEqual({ stdout: "", stderr: "" });
});

it("the guide pins the version of each chart that it installs", () => {
  const installations = blocks.flatMap((block) => block.match(/^helm upgrade .*$/gm) ?? []);
  expect(installations.length).toBeGreaterThanOrEqual(4);
  const pinned = /^helm upgrade --install [\w-]+ [\w-]+\/[\w-]+ --version \d+\.\d+\.\d+ /;
  expect(installations.filter((command) => !pinned.test(command))).toEqual([]);
});

it("the guide publishes the users of NATS in the config map that the servers mount", () => {
  const [values] = parseYaml(readText("deploy/nats/values.yaml")) as {
    config: { merge: { $include: string } };
    container: { patch: { value: { name: string; mountPath: string } }[] };
    podTemplate: { patch: { value: { name: string; configMap: { name: string } } }[] };
  }[];
  const volume = values?.podTemplate.patch[0]?.value;
  const mount = values?.container.patch[0]?.value;
  expect(mount?.name).toBe(volume?.name);
  const published = /create configmap (\S+) .*--from-file=(\S+)/.exec(blocks.join("\n"));
  expect(published?.[1]).toBe(volume?.configMap.name);
  // The chart puts its own file into /etc/nats-config.
  const included = join("/etc/nats-config", values?.config.merge.$include ?? "");
  expect(included).toBe(`${mount?.mountPath}/${published?.[2]}`);
});

it("the guide's commands set registry, tag and host of a whole environment", async () => {
  const command = blocks.find((block) => block.includes("newTag:"));
  const folder = temporaryFolder();
  for (const path of ["deploy/k8s", "deploy/ingress"]) {
    cpSync(join(workspaceRoot, path), join(folder, path), { recursive: true });
  }
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
