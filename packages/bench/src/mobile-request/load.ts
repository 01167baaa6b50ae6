import { setTimeout as pause } from "node:timers/promises";

const tickMs = 5;

/** What one request took from the moment it was due, and what it was answered. */
export type Taken = { readonly ms: number; readonly status: number };

/**
 * Sends at a fixed rate, whatever the answers do: a request that could not leave in time has waited
 * all the same.
 */
export async function sendAtRate(
  send: (index: number) => Promise<number>,
  ratePerSecond: number,
  seconds: number,
): Promise<Taken[]> {
  const total = Math.round(ratePerSecond * seconds);
  const startedAt = performance.now();
  const running: Promise<Taken>[] = [];
  while (running.length < total) {
    const due = Math.min(
      total,
      Math.floor(((performance.now() - startedAt) / 1_000) * ratePerSecond),
    );
    while (running.length < due)
      running.push(timed(send, running.length, ratePerSecond, startedAt));
    await pause(tickMs);
  }
  return Promise.all(running);
}

async function timed(
  send: (index: number) => Promise<number>,
  index: number,
  ratePerSecond: number,
  startedAt: number,
): Promise<Taken> {
  const dueAt = startedAt + (index * 1_000) / ratePerSecond;
  const status = await send(index).catch(() => 0);
  return { ms: performance.now() - dueAt, status };
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
