import { findCircles } from "./find-circles.ts";
import type { SourceFile } from "./source-files.ts";

/** Each rule returns its violations in words: the file, the import, and what is wrong. */
type Violations = string[];

const packageOf = (path: string): string | undefined =>
  /^(packages|services)\/[\w-]+(?=\/)/.exec(path)?.[0];

/**
 * The import rule: core ← contracts ← platform ← services. A workspace imports only those listed
 * beside it, and itself; no workspace is reached by a relative path.
 */
export function breaksOfImportRule(
  { path, workspace, imports }: SourceFile,
  mayImport: (workspace: string) => boolean,
): Violations {
  return imports.flatMap(({ specifier, target }) => {
    const imported = target === undefined ? undefined : packageOf(target);
    if (specifier.startsWith("@malipo/") && imported === undefined)
      return [`${path} imports ${specifier}, which no package exports`];
    if (imported === undefined || imported === workspace) return [];
    if (specifier.startsWith("."))
      return [`${path} imports ${specifier}: a relative path into another workspace`];
    return mayImport(imported) ? [] : [`${path} imports ${specifier}`];
  });
}

const domainOf = (path: string): string | undefined =>
  /^services\/[\w-]+\/src\/domain(?=\/)/.exec(path)?.[0];
const pureModules = ["@malipo/core", "@malipo/contracts"];
const impureCalls =
  /\bnew Date\(\)|\bDate\.now\(|\bMath\.random\(|\bperformance\.now\(|\bcrypto\.|\bfetch\(|\bset(?:Timeout|Interval)\(|\bconsole\./;

/**
 * Purity: a file in a service's `domain/` imports core, contracts and its own domain, and nothing
 * else. It reads neither the clock nor a random source.
 */
export function breaksOfPurity({ path, text, imports, computedImports }: SourceFile): Violations {
  const domain = domainOf(path);
  if (domain === undefined) return [];
  const foreign = imports
    .filter(({ specifier, target }) => {
      if (specifier.startsWith(".")) return target?.startsWith(`${domain}/`) !== true;
      return !pureModules.includes(specifier);
    })
    .map(({ specifier }) => `${path} imports ${specifier}`);
  const impure = impureCalls.exec(text)?.[0];
  return [
    ...foreign,
    ...computedImports.map((argument) => `${path} imports (${argument})`),
    ...(impure === undefined ? [] : [`${path} calls ${impure}`]),
  ];
}

const roomOf = (path: string): string | undefined =>
  /^packages\/platform\/src\/([\w-]+)\//.exec(path)?.[1];

/** Doors: a room of platform imports another room only through that room's `index.ts`. */
export function breaksOfDoors({ path, imports }: SourceFile): Violations {
  return imports.flatMap(({ specifier, target = "" }) => {
    const room = roomOf(target);
    if (room === undefined || room === roomOf(path)) return [];
    const door = `packages/platform/src/${room}/index.ts`;
    return target === door ? [] : [`${path} imports ${specifier}, past the door of ${room}`];
  });
}

/** Circles: the groups of files that import each other, `import type` included, in words. */
export function circlesAmong(files: readonly SourceFile[]): Violations {
  const graph = new Map(
    files.map(({ path, imports }) => [path, imports.flatMap(({ target }) => target ?? [])]),
  );
  return findCircles(graph).map((members) => {
    const edges = members.flatMap((from) =>
      (graph.get(from) ?? []).filter((to) => members.includes(to)).map((to) => `${from} -> ${to}`),
    );
    return `${members.length} files import each other:\n  ${edges.join("\n  ")}`;
  });
}

/** Handlers are found by the compiler: no module is imported by a computed name. */
export function computedImportsOf({ path, computedImports }: SourceFile): Violations {
  return computedImports.map((argument) => `${path} imports (${argument})`);
}
