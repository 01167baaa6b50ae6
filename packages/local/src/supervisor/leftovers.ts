import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { identifyProcess, isProcessRunning, type ProcessIdentity } from "./process-identity.ts";

const politeMs = 2000;
const checkEveryMs = 20;

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

/** Ends what a killed supervisor left running; says the names. */
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
    // A file cut short by the crash says nothing.
    return undefined;
  }
}

async function endProcess(identity: ProcessIdentity): Promise<void> {
  signal(identity, "SIGTERM");
  for (let waited = 0; waited < politeMs && isProcessRunning(identity); waited += checkEveryMs) {
    await pause(checkEveryMs);
  }
  if (!isProcessRunning(identity)) return;
  signal(identity, "SIGKILL");
  while (isProcessRunning(identity)) await pause(checkEveryMs);
}

function signal(identity: ProcessIdentity, name: NodeJS.Signals): void {
  try {
    process.kill(identity.pid, name);
  } catch {
    // It ended between the look and the signal.
  }
}
