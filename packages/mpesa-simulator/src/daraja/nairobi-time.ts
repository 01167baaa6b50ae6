import { hourMs } from "@malipo/core";

/** Kenya has no daylight saving time. */
const offsetMs = 3 * hourMs;

/** Local time in Nairobi as YYYYMMDDHHmmssSSS. */
export function formatNairobiDigits(at: Date): string {
  return new Date(at.getTime() + offsetMs).toISOString().replaceAll(/\D/g, "");
}

/** Local time in Nairobi as YYYYMMDDHHmmss, the form of Daraja's timestamps. */
export function formatNairobiTimestamp(at: Date): string {
  return formatNairobiDigits(at).slice(0, 14);
}

/** Returns null when the date or time does not exist, such as the 31st of February. */
export function parseNairobiTimestamp(timestamp: string): Date | null {
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(timestamp);
  if (!parts) return null;
  const [, year, month, day, hour, minute, second] = parts;
  const at = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}+03:00`);
  return !Number.isNaN(at.getTime()) && formatNairobiTimestamp(at) === timestamp ? at : null;
}
