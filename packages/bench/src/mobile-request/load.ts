import { setTimeout as pause } from "node:timers/promises";

const tickMs = 5;

/** The answer to one request; `ms` counts from the moment at which the request was due. */
export type Answered = { readonly ms: number; readonly status: number };

/**
 * Sends at a fixed rate, no matter how fast the answers come. The time of a request that was sent late
 * includes the delay.
 */
export async function sendAtRate(
  send: (index: number) => Promise<number>,
  ratePerSecond: number,
  seconds: number,
): Promise<Answered[]> {
  const total = Math.round(ratePerSecond * seconds);
  const startedAt = performance.now();
  const running: Promise<Answered>[] = [];
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
): Promise<Answered> {
  const dueAt = startedAt + (index * 1_000) / ratePerSecond;
  const status = await send(index).catch(() => 0);
  return { ms: performance.now() - dueAt, status };
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
