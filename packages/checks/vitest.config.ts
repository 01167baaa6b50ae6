import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./src/longest-first.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const sourceCondition = "@malipo/source";
const conditions = [sourceCondition, "node", "import", "default"];

/** One project per kind of test; the kind is the suffix of the file's name. */
function project(kind: "unit" | "int" | "e2e" | "long" | "attack", timeoutMs: number) {
  return {
    root,
    ssr: { resolve: { conditions } },
    // The environment that loads the global setup. It needs the sources: a fresh clone has no builds.
    environments: { __vitest__: { resolve: { conditions } } },
    test: {
      name: kind,
      include: [
        `{packages,services}/*/{src,test}/**/*.${kind}.test.ts`,
        `deploy/test/**/*.${kind}.test.ts`,
      ],
      execArgv: [`--conditions=${sourceCondition}`],
      // Unit tests use no server; all other tests find servers running.
      globalSetup: kind === "unit" ? [] : ["packages/testing/src/global-setup.ts"],
      // Files of one worker share the modules that they load. Loading them anew costs a fifth of the
      // CPU time of a run, and a file leaves nothing behind.
      isolate: kind === "long",
      testTimeout: timeoutMs,
      hookTimeout: Math.max(timeoutMs, 30_000),
    },
  };
}

export default defineConfig({
  root,
  test: {
    // Tests wait more than they compute, so four files run at once on two cores too.
    maxWorkers: Math.max(4, availableParallelism() - 1),
    sequence: { sequencer: LongestFirst },
    projects: [
      project("unit", 30_000),
      project("int", 30_000),
      project("e2e", 60_000),
      project("long", 900_000),
      project("attack", 900_000),
    ],
  },
});
