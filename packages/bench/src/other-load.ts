import { availableParallelism } from "node:os";
import { cpuMicrosOfMachine, cpuMicrosOfTree } from "./process-usage.ts";

/** Watches how much of the machine others use meanwhile: what they take, every figure here lacks. */
export async function watchOtherLoad(): Promise<() => Promise<number>> {
  const before = await look();
  return async () => {
    const after = await look();
    const others = after.machine - before.machine - (after.ours - before.ours);
    const whole = (after.atMs - before.atMs) * 1000 * availableParallelism();
    return Math.max(0, others) / whole;
  };
}

async function look(): Promise<{ atMs: number; machine: number; ours: number }> {
  const atMs = performance.now();
  return {
    atMs,
    machine: await cpuMicrosOfMachine(),
    ours: await cpuMicrosOfTree(process.pid),
  };
}
