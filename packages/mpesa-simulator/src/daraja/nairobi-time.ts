import { hourMs } from "@malipo/core";

/** Kenya knows no summer time. */
const offsetMs = 3 * hourMs;

/** The clock on a wall in Nairobi: YYYYMMDDHHmmss and three digits of milliseconds. */
export function nairobiDigits(at: Date): string {
  return new Date(at.getTime() + offsetMs).toISOString().replaceAll(/\D/g, "");
}

export function nairobiStamp(at: Date): string {
  return nairobiDigits(at).slice(0, 14);
}

/** Null when it is no moment of any calendar, such as the 31st of February. */
export function readStamp(stamp: string): Date | null {
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(stamp);
  if (!parts) return null;
  const [, year, month, day, hour, minute, second] = parts;
  const at = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}+03:00`);
  return !Number.isNaN(at.getTime()) && nairobiStamp(at) === stamp ? at : null;
}
