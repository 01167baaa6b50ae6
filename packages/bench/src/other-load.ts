import { availableParallelism } from "node:os";
import { cpuMicrosOfMachine, cpuMicrosOfTree } from "./process-usage.ts";

/**
 * Measures the share of the machine that other processes use during the run: they take that CPU from
 * every contender.
 */
export async function watchOtherLoad(): Promise<() => Promise<number>> {
  const before = await readUsage();
  return async () => {
    const after = await readUsage();
    const others = after.machine - before.machine - (after.ours - before.ours);
    const whole = (after.atMs - before.atMs) * 1000 * availableParallelism();
    return Math.max(0, others) / whole;
  };
}

async function readUsage(): Promise<{ atMs: number; machine: number; ours: number }> {
  const atMs = performance.now();
  return {
    atMs,
    machine: await cpuMicrosOfMachine(),
    ours: await cpuMicrosOfTree(process.pid),
  };
}
