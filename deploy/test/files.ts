import { readFileSync } from "node:fs";
import { join } from "node:path";
import { workspaceRoot } from "@malipo/local";
import { parseAllDocuments } from "yaml";

export function read(path: string): string {
  return readFileSync(join(workspaceRoot, path), "utf8");
}

/** Every document of a text in YAML, with `<<` as Docker Compose reads it; a mistake in it throws. */
export function parseYaml(text: string): unknown[] {
  return parseAllDocuments(text, { merge: true }).map((document) => {
    const [error] = document.errors;
    if (error) throw error;
    return document.toJS() as unknown;
  });
}
