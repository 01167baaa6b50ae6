import { dayMs, hourMs, minuteMs, secondMs } from "@malipo/core";
import { usageProblem } from "../command-error.ts";

const units: Readonly<Record<string, number>> = {
  s: secondMs,
  m: minuteMs,
  h: hourMs,
  d: dayMs,
};

const nairobiOffset = "+03:00";

/** `30s`, `15m`, `24h`, `7d` or a plain 0, in milliseconds. */
export function parseDuration(flag: string, text: string): number {
  const ms = durationMs(text);
  if (ms === undefined) throw usageProblem(`${flag} must be a duration like 30m, 24h or 7d.`);
  return ms;
}

/** A date (from its first moment in Nairobi), a moment, or how long ago. */
export function parseSince(flag: string, text: string, now: Date): Date {
  const ago = durationMs(text);
  const moment = ago === undefined ? momentOf(text) : new Date(now.getTime() - ago);
  if (Number.isNaN(moment.getTime())) {
    throw usageProblem(
      `${flag} must be a date like 2026-08-31, a moment like 2026-08-31T12:00:00Z, or how long ago, like 7d.`,
    );
  }
  return moment;
}

function durationMs(text: string): number | undefined {
  if (text === "0") return 0;
  const [, count, unit = ""] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const unitMs = units[unit];
  return unitMs === undefined ? undefined : Number(count) * unitMs;
}

function momentOf(text: string): Date {
  const [date = "", time] = text.split("T");
  if (!isRealDate(date)) return new Date(Number.NaN);
  if (time === undefined) return new Date(`${date}T00:00:00${nairobiOffset}`);
  const hasZone = /^\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/.test(time);
  return new Date(hasZone ? text : Number.NaN);
}

/** Date itself takes 31 February for 3 March. */
function isRealDate(date: string): boolean {
  const midnight = new Date(/^\d{4}-\d\d-\d\d$/.test(date) ? `${date}T00:00:00Z` : Number.NaN);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(date);
}
