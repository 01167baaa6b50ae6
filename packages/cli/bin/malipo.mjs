#!/usr/bin/env node
// Runs the sources under the workspace's own Node, whatever Node (18 or newer) started this; where
// only a build was shipped, that build. Plain JavaScript without dependencies.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

const pathOf = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const source = pathOf("../src/main.ts");

if (existsSync(source)) runSource();
else await import("../dist/main.js");

function runSource() {
  const modules = pathOf("../../../node_modules");
  const node = `${modules}/node/bin/node`;
  const child = spawn(node, ["--conditions=@malipo/source", source, ...process.argv.slice(2)], {
    stdio: "inherit",
    // Compiled once, not at every call: the difference between a command that feels quick and one that does not.
    env: { NODE_COMPILE_CACHE: `${modules}/.cache/malipo`, ...process.env },
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => child.kill(signal));
  }
  child.on("error", () => {
    process.stderr.write(`There is no ${node}. Run npm install in the workspace first.\n`);
    process.exitCode = 1;
  });
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal];
  });
}
