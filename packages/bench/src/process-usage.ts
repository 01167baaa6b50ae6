import { readdir, readFile } from "node:fs/promises";

/** The kernel reports CPU in ticks of a hundredth of a second on every Linux this runs on. */
const microsPerTick = 10_000;

export type ProcessStat = {
  readonly pid: number;
  readonly parent: number;
  readonly cpuMicros: number;
  /** CPU of its children that have ended. */
  readonly endedChildrenMicros: number;
};

/** Reads one line of /proc/<pid>/stat. */
export function parseStat(line: string): ProcessStat {
  // The command's name is in brackets and may contain brackets and spaces.
  const nameEnd = line.lastIndexOf(")");
  const fields = line.slice(nameEnd + 2).split(" ");
  const parent = Number(fields[1]);
  const [user, system, childrenUser, childrenSystem] = fields.slice(11, 15).map(Number);
  const cpuMicros = ticks(user, system);
  const pid = Number.parseInt(line, 10);
  if (nameEnd < 0 || !Number.isInteger(pid) || !Number.isInteger(parent) || Number.isNaN(cpuMicros))
    throw new Error(`not a line of /proc/<pid>/stat: ${line}`);
  return { pid, parent, cpuMicros, endedChildrenMicros: ticks(childrenUser, childrenSystem) };
}

function ticks(...counts: readonly (number | undefined)[]): number {
  return counts.reduce((sum: number, count) => sum + (count ?? Number.NaN), 0) * microsPerTick;
}

/** The process and everything it started, in any order. */
export function descendantsOf(root: number, processes: readonly ProcessStat[]): number[] {
  const found = [root];
  for (const parent of found) {
    for (const process of processes) if (process.parent === parent) found.push(process.pid);
  }
  return found;
}

export async function cpuMicrosOf(pid: number): Promise<number> {
  return parseStat(await readFile(`/proc/${pid}/stat`, "utf8")).cpuMicros;
}

export async function processTree(root: number): Promise<number[]> {
  return descendantsOf(root, await allProcesses());
}

async function allProcesses(): Promise<ProcessStat[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(
    pids.map(async (pid) => {
      const line = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
      return line === undefined ? [] : [parseStat(line)];
    }),
  );
  return stats.flat();
}

/**
 * The CPU of a process and of all processes that it started. A child whose parent ended first has
 * another parent now, and is missed.
 */
export async function cpuMicrosOfTree(root: number): Promise<number> {
  const stats = await allProcesses();
  const tree = new Set(descendantsOf(root, stats));
  return stats
    .filter(({ pid }) => tree.has(pid))
    .reduce((sum, { cpuMicros, endedChildrenMicros }) => sum + cpuMicros + endedChildrenMicros, 0);
}

/** The CPU that all processes of the machine have used since it was started. */
export async function cpuMicrosOfMachine(): Promise<number> {
  return parseMachineCpu(await readFile("/proc/stat", "utf8"));
}

export function parseMachineCpu(stat: string): number {
  const counts = /^cpu +(.*)$/m.exec(stat)?.[1]?.split(" ").map(Number) ?? [];
  const [user, nice, system, , , interrupts, softInterrupts] = counts;
  return ticks(user, nice, system, interrupts, softInterrupts);
}

export async function commandLineOf(pid: number): Promise<string> {
  const line = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return line.replaceAll("\0", " ").trim();
}

export type Memory = {
  readonly rssBytes: number;
  /** Memory shared by n processes counts 1/n in each. */
  readonly pssBytes: number;
  readonly peakRssBytes: number;
};

export function parseMemory(smapsRollup: string, status: string): Memory {
  return {
    rssBytes: kilobytes(smapsRollup, "Rss"),
    pssBytes: kilobytes(smapsRollup, "Pss"),
    peakRssBytes: kilobytes(status, "VmHWM"),
  };
}

export async function memoryOf(pid: number): Promise<Memory> {
  const [smapsRollup, status] = await Promise.all([
    readFile(`/proc/${pid}/smaps_rollup`, "utf8"),
    readFile(`/proc/${pid}/status`, "utf8"),
  ]);
  return parseMemory(smapsRollup, status);
}

function kilobytes(text: string, field: string): number {
  const match = new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(text);
  if (match === null) throw new Error(`the kernel does not report ${field}`);
  return Number(match[1]) * 1024;
}
