import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseYaml } from "./files.ts";
import type { Manifest } from "./manifests.ts";

/** Only as much of kustomize as our manifests use; a test holds it against kubectl where there is one. */
interface Kustomization {
  readonly resources?: readonly string[];
  readonly components?: readonly string[];
  readonly configMapGenerator?: readonly { readonly name: string; readonly envs: string[] }[];
  readonly patches?: readonly {
    readonly path?: string;
    readonly patch?: string;
    readonly target?: { readonly kind: string; readonly name: string };
  }[];
  readonly images?: readonly {
    readonly name: string;
    readonly newName?: string;
    readonly newTag?: string;
  }[];
  readonly labels?: readonly { readonly pairs: Record<string, string> }[];
  readonly nameSuffix?: string;
  readonly namespace?: string;
}

type Tree = Record<string, unknown>;

const understood =
  "apiVersion kind resources components configMapGenerator patches images labels nameSuffix namespace";
const localConfig = "config.kubernetes.io/local-config";

export function kustomize(folder: string): Manifest[] {
  return accumulate(folder).filter(
    ({ metadata }) => metadata.annotations?.[localConfig] !== "true",
  );
}

function accumulate(folder: string): Manifest[] {
  const kustomization = yamlIn(join(folder, "kustomization.yaml"))[0] as Kustomization;
  const unknown = Object.keys(kustomization).filter((key) => !understood.split(" ").includes(key));
  if (unknown.length > 0) throw new Error(`${folder} uses ${unknown.join(", ")}`);
  const { resources = [], components = [], configMapGenerator = [] } = kustomization;
  const manifests = [...resources, ...components].flatMap((path) => load(join(folder, path)));
  for (const { name, envs } of configMapGenerator) {
    const data = Object.assign({}, ...envs.map((file) => envFile(join(folder, file))));
    manifests.push({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });
  }
  const patched = patch(manifests, folder, kustomization);
  const { labels = [], images = [], nameSuffix, namespace } = kustomization;
  for (const { pairs } of labels) patched.forEach((each) => addLabels(each, pairs));
  for (const image of images) eachObject(patched, (at) => rename(at, image));
  if (nameSuffix !== undefined) addSuffix(patched, nameSuffix);
  if (namespace !== undefined) patched.forEach((each) => moveTo(each, namespace));
  return patched;
}

function load(path: string): Manifest[] {
  if (existsSync(join(path, "kustomization.yaml"))) return accumulate(path);
  return yamlIn(path) as Manifest[];
}

function yamlIn(path: string): unknown[] {
  return parseYaml(readFileSync(path, "utf8"));
}

function envFile(path: string): Record<string, string> {
  const lines = readFileSync(path, "utf8").split("\n");
  const entries = lines.filter((line) => line !== "" && !line.startsWith("#"));
  return Object.fromEntries(
    entries.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
}

const isAt = (kind: string, name: string) => (each: Manifest) =>
  each.kind === kind && each.metadata.name === name;

function patch(manifests: Manifest[], folder: string, { patches = [] }: Kustomization): Manifest[] {
  let patched = manifests;
  for (const { path, patch: inline = "", target } of patches) {
    if (path !== undefined) {
      const over = yamlIn(join(folder, path))[0] as Manifest;
      const isMeant = isAt(over.kind, over.metadata.name);
      patched = patched.map((each) => (isMeant(each) ? (merge(each, over) as Manifest) : each));
    }
    const operations = target ? (parseYaml(inline)[0] as { path: string; value: unknown }[]) : [];
    for (const each of target ? patched.filter(isAt(target.kind, target.name)) : []) {
      for (const operation of operations) replaceAt(each, operation);
    }
  }
  return patched;
}

/** Strategic merging: objects by their keys, lists of named things by their names, ours before theirs. */
function merge(under: unknown, over: unknown): unknown {
  if (Array.isArray(under) && Array.isArray(over)) {
    const nameOf = (each: Tree) => each["name"] ?? each["port"];
    const rest = (under as Tree[]).filter((each) => !over.some((o) => nameOf(o) === nameOf(each)));
    const met = (over as Tree[]).map((each) =>
      merge(
        (under as Tree[]).find((u) => nameOf(u) === nameOf(each)),
        each,
      ),
    );
    return [...met, ...rest];
  }
  if (!isTree(under) || !isTree(over)) return over;
  const merged = Object.entries(over).map(([key, value]) => [key, merge(under[key], value)]);
  return { ...under, ...Object.fromEntries(merged) };
}

function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function replaceAt(root: unknown, { path, value }: { path: string; value: unknown }): void {
  const steps = path
    .slice(1)
    .split("/")
    .map((step) => step.replaceAll("~1", "/"));
  const last = steps.pop() ?? "";
  const parent = steps.reduce((at, step) => (at as Tree)[step], root) as Tree;
  if (!(last in parent)) throw new Error(`nothing at ${path}`);
  parent[last] = value;
}

/** On the thing itself, on pods, and in every selector of pods. */
function addLabels(manifest: Manifest, pairs: Record<string, string>): void {
  const withPairs = (at: { labels?: Record<string, string> }) =>
    (at.labels = { ...at.labels, ...pairs });
  withPairs(manifest.metadata);
  eachObject([manifest], (at, key) => {
    if (isTree(at["matchLabels"])) Object.assign(at["matchLabels"], pairs);
    if (key === "template" && isTree(at["metadata"])) withPairs(at["metadata"]);
    if (manifest.kind === "Service" && isTree(at["selector"])) Object.assign(at["selector"], pairs);
  });
}

function rename(
  at: Tree,
  { name, newName, newTag }: { name: string; newName?: string; newTag?: string },
) {
  const [image, tag] = String(at["image"]).split(":");
  if (image !== name) return;
  at["image"] = [newName ?? image, newTag ?? tag].filter(Boolean).join(":");
}

/** Names, and what refers to them within what is here. */
function addSuffix(manifests: Manifest[], suffix: string): void {
  const has = (kind: string, name: unknown) =>
    manifests.some((each) => each.kind === kind && each.metadata.name === name);
  eachObject(manifests, (at, key) => {
    const kinds: Record<string, unknown> = {
      secretKeyRef: "Secret",
      configMapKeyRef: "ConfigMap",
      configMapRef: "ConfigMap",
      scaleTargetRef: at["kind"],
    };
    const kind = kinds[key];
    if (typeof kind === "string" && has(kind, at["name"]))
      at["name"] = `${String(at["name"])}${suffix}`;
    const account = at["serviceAccountName"];
    if (has("ServiceAccount", account)) at["serviceAccountName"] = `${String(account)}${suffix}`;
  });
  for (const { metadata } of manifests) Object.assign(metadata, { name: metadata.name + suffix });
}

function moveTo({ kind, metadata }: Manifest, namespace: string): void {
  Object.assign(metadata, kind === "Namespace" ? { name: namespace } : { namespace });
}

function eachObject(root: unknown, visit: (at: Tree, key: string) => void, key = ""): void {
  if (isTree(root)) visit(root, key);
  if (typeof root !== "object" || root === null) return;
  for (const [name, value] of Object.entries(root)) eachObject(value, visit, name);
}
