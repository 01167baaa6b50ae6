import { addMs, minuteMs } from "@malipo/core";

/**
 * How fast the tests of one webhook, or of one business, are sent, and its resends beside them:
 * `burst` at once, and then one every `intervalMs`.
 */
export interface Pace {
  readonly intervalMs: number;
  readonly burst: number;
}

export const webhookPace: Pace = { intervalMs: 100, burst: 20 };
export const businessPace: Pace = { intervalMs: 50, burst: 100 };

/** No more are taken while one that was taken would wait longer than this. */
export const turnWaitMaxMs = 10 * minuteMs;

/** The turns after `last`, the last one that was given before; null if there is none. */
export function nextTurns(
  { intervalMs, burst }: Pace,
  last: Date | null,
  count: number,
  now: Date,
): readonly Date[] {
  // Turns that nobody took in the past are kept up to the burst.
  const from = Math.max(last?.getTime() ?? 0, addMs(now, -burst * intervalMs).getTime());
  return Array.from({ length: count }, (_, index) => new Date(from + (index + 1) * intervalMs));
}
