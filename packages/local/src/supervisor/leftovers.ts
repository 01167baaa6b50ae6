import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { identifyProcess, isProcessRunning, type ProcessIdentity } from "./process-identity.ts";

const sigtermGraceMs = 2000;
const pollIntervalMs = 20;

export function rememberProcess(folder: string, name: string, pid: number): void {
  const identity = identifyProcess(pid);
  if (identity !== undefined) writeFileSync(pidFile(folder, name), JSON.stringify(identity));
}

export function forgetProcess(folder: string, name: string): void {
  rmSync(pidFile(folder, name), { force: true });
}

function pidFile(folder: string, name: string): string {
  return join(folder, `${name}.json`);
}

/** Ends processes that outlived a killed supervisor. Returns their names. */
export async function endLeftovers(folder: string): Promise<string[]> {
  const ended: string[] = [];
  for (const file of readdirSync(folder).filter((entry) => entry.endsWith(".json"))) {
    const identity = readIdentity(join(folder, file));
    if (identity !== undefined && isProcessRunning(identity)) {
      await endProcess(identity);
      ended.push(file.slice(0, -".json".length));
    }
    rmSync(join(folder, file), { force: true });
  }
  return ended;
}

function readIdentity(path: string): ProcessIdentity | undefined {
  try {
    const content: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (typeof content !== "object" || content === null) return undefined;
    if (!("pid" in content) || !("started" in content)) return undefined;
    const { pid, started } = content;
    return typeof pid === "number" && typeof started === "string" ? { pid, started } : undefined;
  } catch {
    // The crash may have cut the file short.
    return undefined;
  }
}

async function endProcess(identity: ProcessIdentity): Promise<void> {
  signal(identity, "SIGTERM");
  for (
    let waited = 0;
    waited < sigtermGraceMs && isProcessRunning(identity);
    waited += pollIntervalMs
  ) {
    await pause(pollIntervalMs);
  }
  if (!isProcessRunning(identity)) return;
  signal(identity, "SIGKILL");
  while (isProcessRunning(identity)) await pause(pollIntervalMs);
}

function signal(identity: ProcessIdentity, name: NodeJS.Signals): void {
  try {
    process.kill(identity.pid, name);
  } catch {
    // The process ended between the check and the signal.
  }
}
