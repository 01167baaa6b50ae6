import { cpuMicrosOf } from "./process-usage.ts";

/** A server process and the name of its role; several processes may have the same name. */
export type Part = { readonly name: string; readonly pid: number };

/** Runs the work and measures the CPU that each part used during it, per operation. */
export async function cpuPerOperationDuring<T extends { readonly operations: number }>(
  parts: readonly Part[],
  work: () => Promise<T>,
): Promise<T & { readonly cpuMicros: Record<string, number> }> {
  const before = await Promise.all(parts.map((part) => cpuMicrosOf(part.pid)));
  const done = await work();
  const after = await Promise.all(parts.map((part) => cpuMicrosOf(part.pid)));
  const cpuMicros: Record<string, number> = {};
  parts.forEach((part, index) => {
    const used = ((after[index] ?? 0) - (before[index] ?? 0)) / Math.max(done.operations, 1);
    cpuMicros[part.name] = (cpuMicros[part.name] ?? 0) + used;
  });
  return { ...done, cpuMicros };
}
