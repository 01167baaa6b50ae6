import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** A process id alone may belong to another program by now; with the time it started it does not. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly started: string;
}

export function identifyProcess(pid: number): ProcessIdentity | undefined {
  const started = startOf(pid);
  return started === undefined ? undefined : { pid, started };
}

export function isProcessRunning(identity: ProcessIdentity): boolean {
  return startOf(identity.pid) === identity.started;
}

function startOf(pid: number): string | undefined {
  return process.platform === "linux" ? startFromProc(pid) : startFromPs(pid);
}

function startFromProc(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return parseStartTicks(stat);
  } catch {
    return undefined;
  }
}

/** The 22nd field of /proc/<pid>/stat; undefined for what has ended and only waits to be collected. */
export function parseStartTicks(stat: string): string | undefined {
  // The second field is the program's name in parentheses and may itself hold spaces and parentheses.
  const fromThird = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state] = fromThird;
  return state === "Z" || state === "X" ? undefined : fromThird[22 - 3];
}

function startFromPs(pid: number): string | undefined {
  try {
    const started = execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    return started.trim() || undefined;
  } catch {
    return undefined;
  }
}
