import { addMs, hourMs, minuteMs, secondMs } from "@malipo/core";

/** From each failed attempt to the next: ten attempts over a little more than three days. */
export const usualDelaysMs: readonly number[] = [
  5 * secondMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  24 * hourMs,
];

/** A receiver may ask for patience, but not for ever. */
const patienceMaxMs = 24 * hourMs;
/** What failed together must not come back together. */
const jitterShare = 0.1;

/**
 * When a delivery is tried again after so many failed tries; null when that was the last.
 * `random` is from 0 to 1.
 */
export function nextAttemptAt(
  tries: number,
  now: Date,
  { delaysMs, retryAfterMs = 0, random }: AfterFailure,
): Date | null {
  const delay = delaysMs[tries - 1];
  if (delay === undefined) return null;
  const asked = Math.min(retryAfterMs, patienceMaxMs);
  return addMs(now, Math.max(jittered(delay, random), asked));
}

export interface AfterFailure {
  readonly delaysMs: readonly number[];
  /** What the receiver asked for. */
  readonly retryAfterMs?: number | undefined;
  readonly random: number;
}

export function jittered(delayMs: number, random: number): number {
  return Math.round(delayMs * (1 - jitterShare + 2 * jitterShare * random));
}

/** Seconds or an HTTP date; what is neither says nothing. */
export function readRetryAfter(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * secondMs;
  // Only dates in words: what else Date.parse takes is too much.
  const moment = /^[A-Za-z]{3},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(moment) ? undefined : Math.max(0, moment - now.getTime());
}
