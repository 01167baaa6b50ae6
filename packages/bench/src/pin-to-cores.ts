import { execFile } from "node:child_process";
import { availableParallelism } from "node:os";
import { promisify } from "node:util";

const cores = 2;

/**
 * Pins the benchmark, and with it every process it starts, to the same two cores. Figures of machines
 * of different sizes can then be compared, and no contender wins by using more cores.
 */
export async function pinToTwoCores(): Promise<string> {
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
