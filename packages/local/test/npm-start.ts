import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../src/folder/environment.ts";
import { isProcessRunning, type ProcessIdentity } from "../src/supervisor/process-identity.ts";
import { workspaceRoot } from "../src/workspace.ts";

export interface Started {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly exited: Promise<number | null>;
}

/** Runs `npm start` in its own process group, as a terminal does. */
export function npmStart(...flags: string[]): Started {
  const child = spawn("npm", ["start", "--", ...flags], {
    cwd: workspaceRoot,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
    });
  }
  const exited = once(child, "close").then(([code]) => code as number | null);
  return { child, output: () => output, exited };
}

/** Sends SIGINT to npm and everything that it started, as a terminal does on Ctrl-C. */
export function pressCtrlC({ child }: Started): void {
  process.kill(-(child.pid ?? Number.NaN), "SIGINT");
}

export function environmentOf(dir: string): Environment {
  return JSON.parse(readFileSync(join(dir, "environment.json"), "utf8")) as Environment;
}

/** The processes of a running system, by name. */
export function processesOf(dir: string): Record<string, ProcessIdentity> {
  const folder = join(dir, "pids");
  const files = readdirSync(folder).filter((file) => file.endsWith(".json"));
  return Object.fromEntries(
    files.map((file) => [
      file.slice(0, -".json".length),
      JSON.parse(readFileSync(join(folder, file), "utf8")) as ProcessIdentity,
    ]),
  );
}

/** Memory in megabytes, the supervisor included. Shared memory is counted once. */
export function memoryMb(processes: Record<string, ProcessIdentity>): number {
  const pids = Object.values(processes).map(({ pid }) => pid);
  const [, parent = ""] = /\) \S+ (\d+)/.exec(readFileSync(`/proc/${pids[0]}/stat`, "utf8")) ?? [];
  const kilobytes = [...pids, Number(parent)].map((pid) => {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
    return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1]);
  });
  return kilobytes.reduce((sum, each) => sum + each, 0) / 1024;
}

export function stillRunning(processes: Record<string, ProcessIdentity>): string[] {
  return Object.entries(processes)
    .filter(([, identity]) => isProcessRunning(identity))
    .map(([name]) => name);
}
