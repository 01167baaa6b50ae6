#!/usr/bin/env node
// Runs the built server, or the sources in a workspace that has not been built; with the
// workspace's own Node when the one that started this is too old for them.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const source = join(here, "../src/main.ts");
const main = existsSync(source) ? source : join(here, "../dist/main.js");

function node() {
  if (Number(process.versions.node.split(".")[0]) >= 24) return process.execPath;
  const own = [
    join(here, "../../../node_modules/.bin/node"),
    join(here, "../node_modules/.bin/node"),
  ];
  const onPath = (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, "node"));
  return [...own, ...onPath].find((path) => existsSync(path)) ?? process.execPath;
}

const child = spawn(
  node(),
  [
    "--conditions=@malipo/source",
    "--disable-warning=ExperimentalWarning",
    main,
    ...process.argv.slice(2),
  ],
  { stdio: "inherit" },
);
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => {
  process.exitCode = code ?? (signal === null ? 1 : 128);
});
