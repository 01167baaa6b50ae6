import { MongoError } from "../../errors.ts";
import type { Environment, Evaluate } from "../expression/index.ts";
import {
  copyDocument,
  type Document,
  fieldName,
  isDocument,
  newDocument,
} from "../values/document.ts";

/** The effect of a projection on one field. */
export type Entry =
  | { readonly kind: "keep" }
  | { readonly kind: "drop" }
  | { readonly kind: "compute"; readonly evaluate: Evaluate }
  /** Maps an existing field; `undefined` removes it. */
  | {
      readonly kind: "change";
      readonly change: (value: unknown, environment: Environment) => unknown;
    }
  | { readonly kind: "tree"; readonly fields: Tree };

export type Tree = Map<string, Entry>;

/** `include` keeps only the named fields. `exclude` and `add` keep all other fields. */
export type Mode = "include" | "exclude" | "add";

export function addEntry(tree: Tree, keys: readonly string[], entry: Entry): void {
  let fields = tree;
  for (const [index, key] of keys.entries()) {
    const known = fields.get(key);
    const isLast = index === keys.length - 1;
    if (known !== undefined && (isLast || known.kind !== "tree")) throw collision(keys, index);
    if (isLast) fields.set(key, entry);
    else {
      const inner: Tree = known?.kind === "tree" ? known.fields : new Map<string, never>();
      fields.set(key, { kind: "tree", fields: inner });
      fields = inner;
    }
  }
}

function collision(keys: readonly string[], index: number): MongoError {
  const path = keys.map(fieldName).join(".");
  if (index === keys.length - 1) return new MongoError(31250, `Path collision at ${path}`);
  const rest = keys
    .slice(index + 1)
    .map(fieldName)
    .join(".");
  return new MongoError(31249, `Path collision at ${path} remaining portion ${rest}`);
}

export function applyTree(
  document: Document,
  tree: Tree,
  mode: Mode,
  environment: Environment,
): Document {
  const result = mode === "include" ? newDocument() : copyDocument(document);
  if (mode === "include") {
    for (const key of Object.keys(document)) {
      const entry = tree.get(key);
      if (entry !== undefined && entry.kind !== "compute") {
        place(result, key, entry, document[key], mode, environment);
      }
    }
  }
  for (const [key, entry] of tree) {
    const value = document[key];
    if (mode !== "include" && value !== undefined && entry.kind !== "compute") {
      place(result, key, entry, value, mode, environment);
    } else if (entry.kind === "compute") {
      put(result, key, entry.evaluate(environment));
    } else if (entry.kind === "tree" && value === undefined && hasComputed(entry.fields)) {
      put(result, key, applyTree(newDocument(), entry.fields, mode, environment));
    }
  }
  return result;
}

function place(
  result: Document,
  key: string,
  entry: Entry,
  value: unknown,
  mode: Mode,
  environment: Environment,
): void {
  if (entry.kind === "tree") put(result, key, applyInside(value, entry.fields, mode, environment));
  else if (entry.kind === "change") put(result, key, entry.change(value, environment));
  else put(result, key, entry.kind === "keep" ? value : undefined);
}

function put(document: Document, key: string, value: unknown): void {
  if (value === undefined) delete document[key];
  else document[key] = value;
}

/** Applies the tree to a document or to each document of an array. A scalar has no fields. */
function applyInside(value: unknown, fields: Tree, mode: Mode, environment: Environment): unknown {
  if (Array.isArray(value)) {
    return value
      .map((element) => applyInside(element, fields, mode, environment))
      .filter((element) => element !== undefined);
  }
  if (isDocument(value)) return applyTree(value, fields, mode, environment);
  if (hasComputed(fields)) return applyTree(newDocument(), fields, mode, environment);
  return mode === "include" ? undefined : value;
}

function hasComputed(fields: Tree): boolean {
  for (const entry of fields.values()) {
    if (entry.kind === "compute" || (entry.kind === "tree" && hasComputed(entry.fields)))
      return true;
  }
  return false;
}
