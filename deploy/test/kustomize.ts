import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseYaml } from "./files.ts";
import type { Manifest } from "./manifests.ts";

/**
 * The part of kustomize that our manifests use, so that tests need no kubectl. Where kubectl is installed,
 * a test compares the output of both.
 */
interface Kustomization {
  readonly resources?: readonly string[];
  readonly components?: readonly string[];
  readonly configMapGenerator?: readonly ConfigMapGenerator[];
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

interface ConfigMapGenerator {
  readonly name: string;
  readonly behavior?: "merge";
  readonly envs?: readonly string[];
}

type YamlObject = Record<string, unknown>;

const supportedFields = [
  "apiVersion",
  "kind",
  "resources",
  "components",
  "configMapGenerator",
  "patches",
  "images",
  "labels",
  "nameSuffix",
  "namespace",
];
/** Manifests with this annotation are inputs of the build and are not part of its output. */
const localConfigAnnotation = "config.kubernetes.io/local-config";

export function kustomize(folder: string): Manifest[] {
  return accumulate(folder).filter(
    ({ metadata }) => metadata.annotations?.[localConfigAnnotation] !== "true",
  );
}

/** The manifests of a folder. A component also changes the manifests of the folder that includes it. */
function accumulate(folder: string, included: readonly Manifest[] = []): Manifest[] {
  const kustomization = readYaml(join(folder, "kustomization.yaml"))[0] as Kustomization;
  const unknown = Object.keys(kustomization).filter((key) => !supportedFields.includes(key));
  if (unknown.length > 0) {
    throw new Error(`${folder}: kustomize.ts does not support ${unknown.join(", ")}`);
  }
  const { resources = [], components = [], configMapGenerator = [] } = kustomization;
  const loaded = resources.flatMap((path) => load(join(folder, path)));
  const generated = generateConfigMaps([...included, ...loaded], folder, configMapGenerator);
  const manifests = components.reduce(
    (present, path) => accumulate(join(folder, path), present),
    generated,
  );
  const patched = applyPatches(manifests, folder, kustomization);
  const { labels = [], images = [], nameSuffix, namespace } = kustomization;
  for (const { pairs } of labels) patched.forEach((manifest) => addLabels(manifest, pairs));
  for (const image of images) visitObjects(patched, (object) => setImage(object, image));
  if (nameSuffix !== undefined) addSuffix(patched, nameSuffix);
  if (namespace !== undefined) patched.forEach((manifest) => setNamespace(manifest, namespace));
  return patched;
}

function load(path: string): Manifest[] {
  if (existsSync(join(path, "kustomization.yaml"))) return accumulate(path);
  return readYaml(path) as Manifest[];
}

/** The names of manifests before a suffix was added. A generator finds by it what it merges with. */
const originalNames = new WeakMap<Manifest["metadata"], string>();

function generateConfigMaps(
  manifests: readonly Manifest[],
  folder: string,
  generators: readonly ConfigMapGenerator[],
): Manifest[] {
  return generators.reduce<Manifest[]>(
    (present, { name, behavior, envs = [] }) => {
      const data = Object.assign({}, ...envs.map((file) => readEnvFile(join(folder, file))));
      if (behavior === undefined) {
        return [...present, { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data }];
      }
      const isTarget = ({ kind, metadata }: Manifest) =>
        kind === "ConfigMap" && (originalNames.get(metadata) ?? metadata.name) === name;
      if (!present.some(isTarget)) throw new Error(`${folder}: there is no ConfigMap ${name}`);
      return present.map((manifest) =>
        isTarget(manifest) ? { ...manifest, data: { ...manifest.data, ...data } } : manifest,
      );
    },
    [...manifests],
  );
}

function readYaml(path: string): unknown[] {
  return parseYaml(readFileSync(path, "utf8"));
}

function readEnvFile(path: string): Record<string, string> {
  const lines = readFileSync(path, "utf8").split("\n");
  const entries = lines.filter((line) => line !== "" && !line.startsWith("#"));
  return Object.fromEntries(
    entries.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
}

const hasKindAndName = (kind: string, name: string) => (manifest: Manifest) =>
  manifest.kind === kind && manifest.metadata.name === name;

function applyPatches(
  manifests: Manifest[],
  folder: string,
  { patches = [] }: Kustomization,
): Manifest[] {
  let patched = manifests;
  for (const { path, patch: inline = "", target } of patches) {
    if (path !== undefined) {
      const changes = readYaml(join(folder, path))[0] as Manifest;
      const isTarget = hasKindAndName(changes.kind, changes.metadata.name);
      patched = patched.map((manifest) =>
        isTarget(manifest) ? (merge(manifest, changes) as Manifest) : manifest,
      );
    }
    const operations = target ? (parseYaml(inline)[0] as { path: string; value: unknown }[]) : [];
    const targets = target ? patched.filter(hasKindAndName(target.kind, target.name)) : [];
    for (const manifest of targets) {
      for (const operation of operations) replaceAt(manifest, operation);
    }
  }
  return patched;
}

/**
 * A strategic merge patch: objects merge by key, lists by the name (or port) of their items. The items
 * of the patch come first.
 */
function merge(base: unknown, changes: unknown): unknown {
  if (Array.isArray(base) && Array.isArray(changes)) {
    const keyOf = (item: YamlObject) => item["name"] ?? item["port"];
    const baseItems = base as YamlObject[];
    const changedItems = changes as YamlObject[];
    const isChanged = (item: YamlObject) =>
      changedItems.some((changed) => keyOf(changed) === keyOf(item));
    const merged = changedItems.map((changed) =>
      merge(
        baseItems.find((item) => keyOf(item) === keyOf(changed)),
        changed,
      ),
    );
    return [...merged, ...baseItems.filter((item) => !isChanged(item))];
  }
  if (!isYamlObject(base) || !isYamlObject(changes)) return changes;
  const merged = Object.entries(changes).map(([key, value]) => [key, merge(base[key], value)]);
  return { ...base, ...Object.fromEntries(merged) };
}

function isYamlObject(value: unknown): value is YamlObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The operation "replace" of a JSON Patch. */
function replaceAt(root: unknown, { path, value }: { path: string; value: unknown }): void {
  const steps = path
    .slice(1)
    .split("/")
    .map((step) => step.replaceAll("~1", "/"));
  const last = steps.pop() ?? "";
  const parent = steps.reduce((object, step) => (object as YamlObject)[step], root) as YamlObject;
  if (!(last in parent)) throw new Error(`there is no value at ${path}`);
  parent[last] = value;
}

/** Adds labels to the manifest, to its pod template, and to every selector of pods. */
function addLabels(manifest: Manifest, pairs: Record<string, string>): void {
  const addTo = (metadata: { labels?: Record<string, string> }) =>
    (metadata.labels = { ...metadata.labels, ...pairs });
  addTo(manifest.metadata);
  visitObjects([manifest], ({ matchLabels, metadata, selector }, key) => {
    if (isYamlObject(matchLabels)) Object.assign(matchLabels, pairs);
    if (key === "template" && isYamlObject(metadata)) addTo(metadata);
    if (manifest.kind === "Service" && isYamlObject(selector)) Object.assign(selector, pairs);
  });
}

/** Replaces the image's name and tag when the object has an image of this name. */
function setImage(
  object: YamlObject,
  { name, newName, newTag }: { name: string; newName?: string; newTag?: string },
) {
  const [image, tag] = String(object["image"]).split(":");
  if (image !== name) return;
  object["image"] = [newName ?? image, newTag ?? tag].filter(Boolean).join(":");
}

/** Adds a suffix to the names of all manifests, and to the references between them. */
function addSuffix(manifests: Manifest[], suffix: string): void {
  const has = (kind: string, name: unknown) =>
    manifests.some((manifest) => manifest.kind === kind && manifest.metadata.name === name);
  visitObjects(manifests, (object, key) => {
    const kinds: Record<string, unknown> = {
      secretKeyRef: "Secret",
      configMapKeyRef: "ConfigMap",
      configMapRef: "ConfigMap",
      scaleTargetRef: object["kind"],
    };
    const kind = kinds[key];
    if (typeof kind === "string" && has(kind, object["name"])) {
      object["name"] = `${String(object["name"])}${suffix}`;
    }
    const account = object["serviceAccountName"];
    if (has("ServiceAccount", account)) {
      object["serviceAccountName"] = `${String(account)}${suffix}`;
    }
  });
  for (const { metadata } of manifests) {
    originalNames.set(metadata, metadata.name);
    Object.assign(metadata, { name: metadata.name + suffix });
  }
}

function setNamespace({ kind, metadata }: Manifest, namespace: string): void {
  Object.assign(metadata, kind === "Namespace" ? { name: namespace } : { namespace });
}

/** Calls `visit` with every object below the root, and with the key or index that holds it. */
function visitObjects(
  root: unknown,
  visit: (object: YamlObject, key: string) => void,
  key = "",
): void {
  if (isYamlObject(root)) visit(root, key);
  if (typeof root !== "object" || root === null) return;
  for (const [name, value] of Object.entries(root)) visitObjects(value, visit, name);
}
