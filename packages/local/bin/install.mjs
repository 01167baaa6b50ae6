// Brings node_modules in line with package-lock.json. Plain JavaScript for Node 18 and newer.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const oldestNode = 18;
const lockTimeoutMs = 10 * 60_000;
const outputTailBytes = 16_384;
const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Installs if a package is missing. Returns whether it installed. */
export async function ensureInstalled(root) {
  const major = Number(process.versions.node.split(".")[0]);
  if (major < oldestNode) {
    throw new Error(`Node ${oldestNode} or newer is needed; this is ${process.version}.`);
  }
  if (isInstalled(root)) return false;
  const release = await takeInstallLock(root);
  try {
    if (isInstalled(root)) return true;
    await npmInstall(root);
    if (!isInstalled(root)) {
      throw new Error("npm install succeeded, but node_modules does not match package-lock.json.");
    }
    return true;
  } finally {
    release();
  }
}

function isInstalled(root) {
  if (!existsSync(join(root, "node_modules/node/bin/node"))) return false;
  const wanted = readLock(join(root, "package-lock.json"));
  const present = readLock(join(root, "node_modules/.package-lock.json"));
  return present !== undefined && missingPackages(wanted, present).length === 0;
}

function readLock(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

/** Packages of the lockfile that are not installed in that version. Optional packages are for other platforms. */
export function missingPackages(wanted, present) {
  const missing = [];
  for (const [path, entry] of Object.entries(wanted.packages)) {
    if (path === "" || entry.optional) continue;
    const found = present.packages[path];
    const same =
      found !== undefined &&
      found.version === entry.version &&
      found.integrity === entry.integrity &&
      found.resolved === entry.resolved;
    if (!same) missing.push(path);
  }
  return missing;
}

/** Two installations at the same time would break each other's node_modules. */
async function takeInstallLock(root) {
  const lock = join(root, ".local/install.lock");
  mkdirSync(join(root, ".local"), { recursive: true, mode: 0o700 });
  const giveUpAt = Date.now() + lockTimeoutMs;
  for (let isReported = false; Date.now() < giveUpAt;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: "wx" });
      return () => rmSync(lock, { force: true });
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    if (removeIfAbandoned(lock)) continue;
    if (!isReported) process.stderr.write("Waiting for another installation in this folder…\n");
    isReported = true;
    await pause(300);
  }
  throw new Error(`Another installation holds ${lock}; remove the file if none is running.`);
}

function removeIfAbandoned(lock) {
  const holder = readFileIfThere(lock);
  if (holder === undefined) return true;
  if (holder === "" || isAlive(Number(holder))) return false;
  const aside = `${lock}.${process.pid}`;
  try {
    // If two processes find the lock abandoned, only one of the renames succeeds.
    renameSync(lock, aside);
  } catch {
    return true;
  }
  if (readFileIfThere(aside) !== holder) renameSync(aside, lock);
  rmSync(aside, { force: true });
  return true;
}

function readFileIfThere(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/**
 * Installs the versions of the lockfile, as npm ci does. Unlike npm ci it keeps installed packages,
 * so that running programs continue, and it accepts a lockfile without the packages of other platforms.
 */
async function npmInstall(root) {
  const began = Date.now();
  process.stderr.write("Installing packages…\n");
  const flags = ["--no-save", "--no-audit", "--no-fund", "--loglevel=error"];
  const [command, ...args] = [...npmCommand(), "install", ...flags];
  const child = spawn(command, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output = (output + chunk).slice(-outputTailBytes);
    });
  }
  const forward = (signal) => child.kill(signal);
  for (const signal of stopSignals) process.on(signal, forward);
  const ended = await new Promise((done) => {
    child.on("error", (error) => done(error.message));
    child.on("close", (code, signal) => done(signal ?? code));
  });
  for (const signal of stopSignals) process.off(signal, forward);
  if (ended !== 0) throw new Error(`npm install failed (${ended}):\n${output.trim()}`);
  process.stderr.write(`Installed in ${Math.round((Date.now() - began) / 1000)} s.\n`);
}

/** The npm that started this script, under its Node; otherwise the npm on the PATH. */
function npmCommand() {
  const { npm_execpath: cli, npm_node_execpath: node } = process.env;
  const isNpm = cli !== undefined && basename(cli) === "npm-cli.js";
  return isNpm && node !== undefined ? [node, cli] : ["npm"];
}
