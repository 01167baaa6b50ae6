#!/usr/bin/env node
// Runs the sources with the workspace's own Node. It can be started with any Node from 18 on. Where only
// a build was shipped, it runs the build. Plain JavaScript without dependencies.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

const resolvePath = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const source = resolvePath("../src/main.ts");

if (existsSync(source)) runSource();
else await import("../dist/main.js");

function runSource() {
  const modules = resolvePath("../../../node_modules");
  const node = `${modules}/node/bin/node`;
  const child = spawn(node, ["--conditions=@malipo/source", source, ...process.argv.slice(2)], {
    stdio: "inherit",
    // Keeps the compiled code between runs, which makes every command start noticeably faster.
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
