import { dayMs, hourMs, minuteMs, secondMs } from "@malipo/core";
import { usageError } from "../command-error.ts";

const units: Readonly<Record<string, number>> = {
  s: secondMs,
  m: minuteMs,
  h: hourMs,
  d: dayMs,
};

const nairobiOffset = "+03:00";

/** Parses `30s`, `15m`, `24h`, `7d` or a plain 0 to milliseconds. */
export function parseDuration(flag: string, text: string): number {
  const ms = parseDurationMs(text);
  if (ms === undefined) throw usageError(`${flag} must be a duration like 30m, 24h or 7d.`);
  return ms;
}

/** Parses a date, as its first moment in Nairobi, a date with time, or a duration before now. */
export function parseSince(flag: string, text: string, now: Date): Date {
  const agoMs = parseDurationMs(text);
  const moment = agoMs === undefined ? parseDateTime(text) : new Date(now.getTime() - agoMs);
  if (Number.isNaN(moment.getTime())) {
    throw usageError(
      `${flag} must be a date like 2026-08-31, a moment like 2026-08-31T12:00:00Z, or how long ago, like 7d.`,
    );
  }
  return moment;
}

function parseDurationMs(text: string): number | undefined {
  if (text === "0") return 0;
  const [, count, unit = ""] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const unitMs = units[unit];
  return unitMs === undefined ? undefined : Number(count) * unitMs;
}

function parseDateTime(text: string): Date {
  const [date = "", time] = text.split("T");
  if (!isRealDate(date)) return new Date(Number.NaN);
  if (time === undefined) return new Date(`${date}T00:00:00${nairobiOffset}`);
  const hasZone = /^\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/.test(time);
  return new Date(hasZone ? text : Number.NaN);
}

/** `Date` alone accepts 31 February and makes it 3 March. */
function isRealDate(date: string): boolean {
  const midnight = new Date(/^\d{4}-\d\d-\d\d$/.test(date) ? `${date}T00:00:00Z` : Number.NaN);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(date);
}
