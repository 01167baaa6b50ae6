import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const root = fileURLToPath(new URL("../..", import.meta.url));
const sourceCondition = "@malipo/source";

/** One project per kind of test; the kind is the suffix of the file's name. */
function project(kind: "unit" | "int" | "e2e" | "long", timeoutMs: number) {
  return {
    root,
    resolve: { conditions: [sourceCondition, "node", "import", "default"] },
    ssr: { resolve: { conditions: [sourceCondition, "node", "import", "default"] } },
    test: {
      name: kind,
      include: [`{packages,services}/*/{src,test}/**/*.${kind}.test.ts`],
      execArgv: [`--conditions=${sourceCondition}`],
      // Unit tests touch nothing outside themselves; all others find servers running.
      globalSetup: kind === "unit" ? [] : ["packages/testing/src/global-setup.ts"],
      testTimeout: timeoutMs,
      hookTimeout: Math.max(timeoutMs, 30_000),
    },
  };
}

export default defineConfig({
  root,
  test: {
    projects: [
      project("unit", 10_000),
      project("int", 30_000),
      project("e2e", 60_000),
      project("long", 900_000),
    ],
  },
});
