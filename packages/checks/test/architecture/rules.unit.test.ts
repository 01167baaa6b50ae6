import { expect, it } from "vitest";
import {
  breaksOfDoors,
  breaksOfImportRule,
  breaksOfPurity,
  circlesAmong,
  computedImportsOf,
} from "./rules.ts";
import type { SourceFile } from "./source-files.ts";

/** A file with imports from specifier to target, as in { "./b.ts": "packages/core/src/b.ts" }. */
function file(
  path: string,
  imports: Readonly<Record<string, string | undefined>>,
  own: Partial<SourceFile> = {},
): SourceFile {
  return {
    path,
    workspace: path.split("/").slice(0, 2).join("/"),
    text: "",
    imports: Object.entries(imports).map(([specifier, target]) => ({ specifier, target })),
    computedImports: [],
    ...own,
  };
}

const core = { "@malipo/core": "packages/core/src/index.ts" };
const platform = { "@malipo/platform": "packages/platform/src/index.ts" };

const mayImportCore = (imported: string) => imported === "packages/core";

it("the import rule reports a package that is not allowed, and a relative path to a workspace", () => {
  const path = "packages/print/src/page.ts";
  const relative = { "../../core/src/money.ts": "packages/core/src/money.ts" };

  expect(breaksOfImportRule(file(path, { ...core, "node:fs": undefined }), mayImportCore)).toEqual(
    [],
  );
  expect(breaksOfImportRule(file(path, { ...core, ...platform }), mayImportCore)).toEqual([
    "packages/print/src/page.ts imports @malipo/platform",
  ]);
  expect(breaksOfImportRule(file(path, relative), mayImportCore)).toEqual([
    "packages/print/src/page.ts imports ../../core/src/money.ts: a relative path into another workspace",
  ]);
});

it("purity reports foreign modules, the store of the same service, and the clock in domain/", () => {
  const path = "services/invoice/src/domain/totals.ts";
  const pure = { ...core, "./tax.ts": "services/invoice/src/domain/tax.ts" };
  const impure = {
    ...platform,
    "../store/invoices.ts": "services/invoice/src/store/invoices.ts",
    "node:fs": undefined,
  };
  expect(breaksOfPurity(file(path, pure))).toEqual([]);
  expect(breaksOfPurity(file(path, impure, { text: "const now = new Date();" }))).toEqual([
    `${path} imports @malipo/platform`,
    `${path} imports ../store/invoices.ts`,
    `${path} imports node:fs`,
    `${path} calls new Date()`,
  ]);
  expect(breaksOfPurity(file("services/invoice/src/store/invoices.ts", impure))).toEqual([]);
});

it("doors report an import past the index.ts of another room of platform", () => {
  const path = "packages/platform/src/outbox/relay.ts";
  const allowed = {
    "../nats/index.ts": "packages/platform/src/nats/index.ts",
    "./position.ts": "packages/platform/src/outbox/position.ts",
  };
  const past = { "../nats/streams.ts": "packages/platform/src/nats/streams.ts" };
  expect(breaksOfDoors(file(path, allowed))).toEqual([]);
  expect(breaksOfDoors(file(path, past))).toEqual([
    `${path} imports ../nats/streams.ts, past the door of nats`,
  ]);
});

it("circles are reported with every import that belongs to them", () => {
  const [a, b, c] = ["packages/core/src/a.ts", "packages/core/src/b.ts", "packages/core/src/c.ts"];
  const files = [file(a, { "./b.ts": b }), file(b, { "./a.ts": a, "./c.ts": c }), file(c, {})];
  expect(circlesAmong(files)).toEqual([
    `2 files import each other:\n  ${a} -> ${b}\n  ${b} -> ${a}`,
  ]);
});

it("computed imports are reported with their argument", () => {
  const path = "packages/platform/src/rpc/handlers.ts";
  expect(computedImportsOf(file(path, {}, { computedImports: ["file.href"] }))).toEqual([
    `${path} imports (file.href)`,
  ]);
});
