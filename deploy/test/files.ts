import { readFileSync } from "node:fs";
import { join } from "node:path";
import { workspaceRoot } from "@malipo/local";
import { parseAllDocuments } from "yaml";

/** The text of a file, by its path from the root of the workspace. */
export function readText(path: string): string {
  return readFileSync(join(workspaceRoot, path), "utf8");
}

/** All documents of a YAML text, with merge keys (`<<`) as in Docker Compose. Throws on a syntax error. */
export function parseYaml(text: string): unknown[] {
  return parseAllDocuments(text, { merge: true }).map((document) => {
    const [error] = document.errors;
    if (error) throw error;
    return document.toJS() as unknown;
  });
}
