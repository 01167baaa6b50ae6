// Runs a TypeScript entry of this workspace under the workspace's own Node, installing first what
// is missing:  node --conditions=@malipo/source packages/local/bin/run.mjs <entry.ts> [arguments]
// Plain JavaScript without dependencies, for it is the first thing that runs on a fresh clone, under
// whatever Node (18 or newer) the machine has.
import { spawn } from "node:child_process";
import { realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { ensureInstalled } from "./install.mjs";

const sourceCondition = "--conditions=@malipo/source";
const root = fileURLToPath(new URL("../../..", import.meta.url));
const node = join(root, "node_modules/node/bin/node");
const [entry, ...rest] = process.argv.slice(2);

if (entry === undefined) stop("Name the file to run.");
const installedNow = await ensureInstalled(root).catch((error) => stop(error.message));
if (!installedNow && alreadyUnderOurNode()) {
  process.argv.splice(1, 2, resolve(root, entry));
  await import(pathToFileURL(resolve(root, entry)).href);
} else {
  runUnderOurNode();
}

/** No second process where this one already is what it would start. */
function alreadyUnderOurNode() {
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
