import { existsSync } from "node:fs";
import { join } from "node:path";
import { workspaceRoot } from "@malipo/local";
import { expect, it } from "vitest";
import { longestFiles } from "./longest-first.ts";

it("every file that is to run early exists", () => {
  expect(longestFiles.filter((file) => !existsSync(join(workspaceRoot, file)))).toEqual([]);
});
