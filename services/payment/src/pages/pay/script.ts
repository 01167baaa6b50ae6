import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { extname } from "node:path";

// The script is TypeScript when sources are run, and JavaScript in a build.
const extension = extname(import.meta.url);
const source = readFileSync(new URL(`../browser/pay${extension}`, import.meta.url), "utf8");

/** The script of the pay page. The page contains it, and its content policy allows it by its hash. */
export const script = (extension === ".ts" ? stripTypeScriptTypes(source) : source)
  .replace(/^\/\/# sourceMappingURL=.*$/m, "")
  .replaceAll(/^[ \t]+|[ \t]+$/gm, "")
  .replaceAll(/\n{2,}/g, "\n");
