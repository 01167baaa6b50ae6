import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { workspaceRoot } from "@malipo/local";

/** Kinds of conditional writes, each with the test file that races it, or why no race can be lost. */
type ListedWrites = Readonly<Record<string, string>>;

/** The list in a folder of tests, without the entries whose test file is gone. */
function listIn(folder: string): ListedWrites {
  const path = join(folder, "conditional-writes.json");
  if (!existsSync(path)) return {};
  const listed = Object.entries(JSON.parse(readFileSync(path, "utf8")) as ListedWrites);
  const isThere = (racedIn: string) =>
    !racedIn.endsWith(".test.ts") || existsSync(join(folder, racedIn));
  return Object.fromEntries(listed.filter(([, racedIn]) => isThere(racedIn)));
}

/** The kinds that have lost a race since the test file began: it starts with `racedWrites.clear()`. */
export const racedWrites = new Set<string>();

/** What the list beside a test file says that this file races, and that it has not raced. */
export function unracedWrites(file: string): readonly string[] {
  const raced = new Set([...racedWrites].flatMap((kind) => [kind, inAnyCollection(kind)]));
  return Object.entries(listIn(dirname(file)))
    .filter(([kind, racedIn]) => racedIn === basename(file) && !raced.has(kind))
    .map(([kind]) => kind);
}

/** Of the writes that a service has made, those that neither its own list nor the platform's has. */
export function unlistedWrites(service: string, made: Iterable<string>): readonly string[] {
  const folder = join(workspaceRoot, "services", service);
  if (!existsSync(folder)) return [];
  const listed = {
    ...listIn(join(workspaceRoot, "packages/platform/test")),
    ...listIn(join(folder, "test")),
  };
  return [...made].filter((kind) => !(kind in listed) && !(inAnyCollection(kind) in listed));
}

/** The platform's list has `*` for a collection of any service. */
function inAnyCollection(kind: string): string {
  return kind.replace(/(?<=^\w+ )\w+/, "*");
}
