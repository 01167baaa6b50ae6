import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { workspaceRoot } from "@malipo/local";
import type { Deployment } from "kubernetes-types/apps/v1.js";
import type { Container, PodSpec } from "kubernetes-types/core/v1.js";
import type { ObjectMeta } from "kubernetes-types/meta/v1.js";
import { parseYaml } from "./files.ts";
import { kustomize } from "./kustomize.ts";

const run = promisify(execFile);

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta & { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly stringData?: Readonly<Record<string, string>>;
}

export type DeploymentManifest = Manifest & Required<Pick<Deployment, "spec">>;

const folderOf = (overlay: string) => join(workspaceRoot, "deploy/k8s/overlays", overlay);

/** What would be applied. */
export function build(overlay: string): Manifest[] {
  return kustomize(folderOf(overlay));
}

/** The same as kubectl sees it; undefined where there is no kubectl. */
export async function buildByKubectl(overlay: string): Promise<Manifest[] | undefined> {
  return run("kubectl", ["kustomize", folderOf(overlay)]).then(
    ({ stdout }) => parseYaml(stdout) as Manifest[],
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw error;
    },
  );
}

/** The secrets of a new deployment, as an operator makes them. */
export async function drawSecrets(namespace: string): Promise<Manifest[]> {
  const script = join(workspaceRoot, "deploy/secrets.mjs");
  const { stdout } = await run(process.execPath, [script, namespace]);
  return parseYaml(stdout) as Manifest[];
}

export function deploymentsIn(manifests: readonly Manifest[]): DeploymentManifest[] {
  return manifests.filter((each): each is DeploymentManifest => each.kind === "Deployment");
}

export function podOf({ spec }: DeploymentManifest): PodSpec {
  if (!spec.template.spec) throw new Error("a deployment without pods");
  return spec.template.spec;
}

/** The variables that a container gets, as the cluster would fill them in; what refers to nothing throws. */
export function environmentOf(
  container: Container,
  around: readonly Manifest[],
): Record<string, string> {
  const valuesOf = (kind: string, name: string | undefined): Record<string, string> => {
    const found = around.find((each) => each.kind === kind && each.metadata.name === name);
    if (!found) throw new Error(`There is no ${kind} ${name}.`);
    return { ...found.data, ...found.stringData };
  };
  const valueOf = (kind: string, reference: { name?: string; key: string }): string => {
    const value = valuesOf(kind, reference.name)[reference.key];
    if (value === undefined) throw new Error(`${kind} ${reference.name} has no ${reference.key}.`);
    return value;
  };
  const shared = (container.envFrom ?? []).flatMap(({ configMapRef }) =>
    configMapRef ? Object.entries(valuesOf("ConfigMap", configMapRef.name)) : [],
  );
  const own = (container.env ?? []).map(({ name, value, valueFrom }): [string, string] => {
    if (valueFrom?.configMapKeyRef) return [name, valueOf("ConfigMap", valueFrom.configMapKeyRef)];
    if (valueFrom?.secretKeyRef) return [name, valueOf("Secret", valueFrom.secretKeyRef)];
    return [name, value ?? ""];
  });
  return Object.fromEntries([...shared, ...own]);
}
