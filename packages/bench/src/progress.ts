import type { Part } from "./cpu.ts";
import { cpuMicrosOf } from "./process-usage.ts";

/** How many operations were done at one moment, and the CPU that each process had used by then. */
export interface ProgressSample {
  readonly done: number;
  readonly atMs: number;
  readonly usedMicros: readonly number[];
}

export async function sampleProgress(
  parts: readonly Part[],
  done: number,
): Promise<ProgressSample> {
  const usedMicros = await Promise.all(parts.map(async ({ pid }) => cpuMicrosOf(pid)));
  return { done, atMs: performance.now(), usedMicros };
}

/**
 * The rate from one count of operations to another, and the CPU per operation: of all processes
 * together, and of each process in the order of the parts.
 */
export function rateBetween(samples: readonly ProgressSample[], from: number, to: number) {
  const start = samples.findLast(({ done }) => done <= from) ?? samples[0];
  const end = samples.find(({ done }) => done >= to) ?? samples.at(-1);
  if (!start || !end) throw new Error("no operation was done");
  const done = end.done - start.done;
  const partMicros = end.usedMicros.map(
    (used, index) => (used - (start.usedMicros[index] ?? 0)) / done,
  );
  return {
    rate: (done * 1_000) / (end.atMs - start.atMs),
    cpuMicros: sumOf(partMicros),
    partMicros,
  };
}

export function sumOf(micros: readonly number[]): number {
  return micros.reduce((sum, each) => sum + each, 0);
}
