import { addMs, hourMs, minuteMs, secondMs } from "@malipo/core";

/** Delays from each failed attempt to the next: ten attempts in a little more than three days. */
export const defaultDelaysMs: readonly number[] = [
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

/** The longest delay that a receiver may ask for. */
const retryAfterMaxMs = 24 * hourMs;
/** Deliveries that fail together must not be retried together. */
const jitterShare = 0.1;

/** Time of the next attempt after this many failed tries; null when there are no more. */
export function nextAttemptAt(
  tries: number,
  now: Date,
  { delaysMs, retryAfterMs = 0, random }: AfterFailure,
): Date | null {
  const delay = delaysMs[tries - 1];
  if (delay === undefined) return null;
  const asked = Math.min(retryAfterMs, retryAfterMaxMs);
  return addMs(now, Math.max(jittered(delay, random), asked));
}

export interface AfterFailure {
  readonly delaysMs: readonly number[];
  /** The delay that the receiver asked for. */
  readonly retryAfterMs?: number | undefined;
  /** From 0 to 1. */
  readonly random: number;
}

export function jittered(delayMs: number, random: number): number {
  return Math.round(delayMs * (1 - jitterShare + 2 * jitterShare * random));
}

/** Reads seconds or an HTTP date. Anything else is ignored. */
export function readRetryAfter(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * secondMs;
  // Date.parse accepts many other forms, so only dates that begin with a weekday are tried.
  const parsedMs = /^[A-Za-z]{3},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(parsedMs) ? undefined : Math.max(0, parsedMs - now.getTime());
}
