import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { extname } from "node:path";

// Sources are run as they are, and a build has its own compiled one beside it.
const extension = extname(import.meta.url);
const written = readFileSync(new URL(`../browser/pay${extension}`, import.meta.url), "utf8");

/** What the pay page runs: part of the page, and known to its policy by its hash. */
export const script = (extension === ".ts" ? stripTypeScriptTypes(written) : written)
  .replace(/^\/\/# sourceMappingURL=.*$/m, "")
  .replaceAll(/^[ \t]+|[ \t]+$/gm, "")
  .replaceAll(/\n{2,}/g, "\n");
