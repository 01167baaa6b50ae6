import type { Part } from "./cpu.ts";
import { cpuMicrosOf } from "./process-usage.ts";

/** How much was done by then, and what each of the processes had used. */
export interface Look {
  readonly issued: number;
  readonly atMs: number;
  readonly usedMicros: readonly number[];
}

export async function lookAt(parts: readonly Part[], issued: number): Promise<Look> {
  const usedMicros = await Promise.all(parts.map(async ({ pid }) => cpuMicrosOf(pid)));
  return { issued, atMs: performance.now(), usedMicros };
}

/** The rate meanwhile, and the CPU for each: of all the processes, and of each in its place. */
export function between(looks: readonly Look[], from: number, to: number) {
  const start = looks.findLast(({ issued }) => issued <= from) ?? looks[0];
  const end = looks.find(({ issued }) => issued >= to) ?? looks.at(-1);
  if (!start || !end) throw new Error("nothing was issued");
  const issued = end.issued - start.issued;
  const partMicros = end.usedMicros.map(
    (used, index) => (used - (start.usedMicros[index] ?? 0)) / issued,
  );
  return {
    rate: (issued * 1_000) / (end.atMs - start.atMs),
    cpuMicros: sumOf(partMicros),
    partMicros,
  };
}

export function sumOf(micros: readonly number[]): number {
  return micros.reduce((sum, each) => sum + each, 0);
}
