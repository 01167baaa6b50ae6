import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** The start time makes a process id unique: the operating system reuses ids. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly started: string;
}

export function identifyProcess(pid: number): ProcessIdentity | undefined {
  const started = readStartTime(pid);
  return started === undefined ? undefined : { pid, started };
}

export function isProcessRunning(identity: ProcessIdentity): boolean {
  return readStartTime(identity.pid) === identity.started;
}

function readStartTime(pid: number): string | undefined {
  return process.platform === "linux" ? readStartTimeFromProc(pid) : readStartTimeFromPs(pid);
}

function readStartTimeFromProc(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return parseStartTicks(stat);
  } catch {
    return undefined;
  }
}

/** Reads the 22nd field of /proc/<pid>/stat. Returns undefined for a zombie, which has ended already. */
export function parseStartTicks(stat: string): string | undefined {
  // The second field is the program's name in parentheses. The name may contain spaces and parentheses.
  const fromThird = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state] = fromThird;
  return state === "Z" || state === "X" ? undefined : fromThird[22 - 3];
}

function readStartTimeFromPs(pid: number): string | undefined {
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
