// Installs missing packages, then runs a TypeScript file of this workspace under the workspace's
// own Node:  node --conditions=@malipo/source packages/local/bin/run.mjs <entry.ts> [arguments]
// Plain JavaScript without dependencies, because it is the first file that runs on a fresh clone,
// under any Node from version 18.
import { spawn } from "node:child_process";
import { realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { ensureInstalled } from "./install.mjs";

const sourceCondition = "--conditions=@malipo/source";
const root = fileURLToPath(new URL("../../..", import.meta.url));
const node = join(root, "node_modules/node/bin/node");
const [entry, ...rest] = process.argv.slice(2);

if (entry === undefined) stop("Usage: run.mjs <entry.ts> [arguments]");
const installedNow = await ensureInstalled(root).catch((error) => stop(error.message));
if (!installedNow && isOurNode()) {
  process.argv.splice(1, 2, resolve(root, entry));
  await import(pathToFileURL(resolve(root, entry)).href);
} else {
  runUnderOurNode();
}

/** If this process already has our Node and flags, a second process is not needed. */
function isOurNode() {
  return process.execPath === realpathSync(node) && process.execArgv.includes(sourceCondition);
}

function runUnderOurNode() {
  const child = spawn(node, [sourceCondition, resolve(root, entry), ...rest], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, MALIPO_FOLLOW_PARENT: "1" },
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => child.kill(signal));
  }
  child.on("error", (error) => stop(`Could not start ${node}: ${error.message}`));
  child.on("exit", (code) => process.exit(code ?? 1));
}

function stop(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}
