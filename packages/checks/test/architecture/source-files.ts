import { globSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { workspaceRoot } from "@malipo/local";
import { parseSync } from "oxc-parser";

/** One import or re-export, `import type` included. */
export interface Import {
  readonly specifier: string;
  /** The imported file, relative to the repository; undefined for node: and third-party modules. */
  readonly target: string | undefined;
}

export interface SourceFile {
  /** Relative to the repository, as `services/invoice/src/main.ts`. */
  readonly path: string;
  /** The folder of the workspace, as `services/invoice`. */
  readonly workspace: string;
  readonly text: string;
  readonly imports: readonly Import[];
  /** The arguments of `import(…)` that are not one literal string, as written. */
  readonly computedImports: readonly string[];
}

/** The source file of each import specifier that our packages export. */
const exportedFiles = new Map(
  globSync("{packages,services}/*/package.json", { cwd: workspaceRoot }).flatMap((path) => {
    const manifest = JSON.parse(readFileSync(join(workspaceRoot, path), "utf8")) as {
      name: string;
      exports?: Readonly<Record<string, { "@malipo/source": string }>>;
    };
    return Object.entries(manifest.exports ?? {}).map(([subpath, file]) => [
      posix.join(manifest.name, subpath),
      posix.join(posix.dirname(path), file["@malipo/source"]),
    ]);
  }),
);

/** The TypeScript files that the patterns match, parsed. */
export function readSources(...patterns: readonly string[]): SourceFile[] {
  return globSync(patterns, { cwd: workspaceRoot }).toSorted().map(readSource);
}

export const isTest = ({ path }: SourceFile): boolean => path.endsWith(".test.ts");

function readSource(path: string): SourceFile {
  const text = readFileSync(join(workspaceRoot, path), "utf8");
  const { staticImports, staticExports, dynamicImports } = parseSync(path, text).module;
  const dynamic = dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start, end));
  const specifiers = [
    ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...staticExports.flatMap(({ entries }) => entries.map((entry) => entry.moduleRequest?.value)),
    ...dynamic.map((argument) => /^"([^"]*)"$/.exec(argument)?.[1]),
  ].filter((specifier) => specifier !== undefined);
  return {
    path,
    workspace: path.split("/").slice(0, 2).join("/"),
    text,
    imports: [...new Set(specifiers)].map((specifier) => ({
      specifier,
      target: targetOf(path, specifier),
    })),
    computedImports: dynamic.filter((argument) => !/^"[^"]*"$/.test(argument)),
  };
}

function targetOf(path: string, specifier: string): string | undefined {
  if (specifier.startsWith(".")) return posix.join(posix.dirname(path), specifier);
  return exportedFiles.get(specifier);
}
