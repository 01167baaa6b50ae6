import { execFile } from "node:child_process";
import { availableParallelism } from "node:os";
import { promisify } from "node:util";

const cores = 2;

/**
 * Puts the benchmark, and with it every process it starts, on the same two cores: the figures of
 * machines of different sizes can then be compared, and nobody wins by spreading wider.
 */
export async function stayOnTwoCores(): Promise<string> {
  if (availableParallelism() <= cores) return `${availableParallelism()} cores, shared by all`;
  await promisify(execFile)("taskset", [
    "--all-tasks",
    "--cpu-list",
    "--pid",
    "0,1",
    `${process.pid}`,
  ]);
  return "two cores, shared by all";
}
