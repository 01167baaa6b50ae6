import { ObjectId, Timestamp } from "bson";
import { MongoError } from "../../../errors.ts";
import { typeName } from "../../values/types.ts";

export function requireDate(name: string, value: unknown): Date {
  if (value instanceof Date) return value;
  if (value instanceof ObjectId) return value.getTimestamp();
  if (value instanceof Timestamp) return new Date(value.getHighBitsUnsigned() * 1000);
  throw new MongoError(16006, `can't convert from BSON type ${typeName(value)} to Date in ${name}`);
}

/** Accepts offsets and Olson names. As in MongoDB, anything else is refused. */
export function requireZone(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "string")
    throw new MongoError(40517, `timezone must evaluate to a string, found ${typeName(value)}`);
  if (value === "UTC" || value === "GMT" || value === "Z") return undefined;
  const offset = /^([+-])(\d{2}):?(\d{2})?$/.exec(value);
  if (offset !== null) return `${offset[1]}${offset[2]}:${offset[3] ?? "00"}`;
  try {
    new Intl.DateTimeFormat("en-US", { timeZone: value }).format();
  } catch {
    throw new MongoError(40485, `unrecognized time zone identifier: "${value}"`);
  }
  return value;
}

const shortFormat = "en-US-u-ca-iso8601-nu-latn";
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat(shortFormat, {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    formats.set(zone, format);
  }
  return format;
}

/** The date whose UTC parts are the local parts of `date` in the zone. */
export function localDate(date: Date, zone: string | undefined): Date {
  if (zone === undefined) return date;
  const parts = new Map(
    formatOf(zone)
      .formatToParts(date)
      .map((part) => [part.type, Number(part.value)]),
  );
  const at = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? 0;
  const local = Date.UTC(
    at("year"),
    at("month") - 1,
    at("day"),
    at("hour"),
    at("minute"),
    at("second"),
  );
  return new Date(local + (((date.getTime() % 1000) + 1000) % 1000));
}

/** The date whose local parts in the zone are the UTC parts of `local`. */
export function dateOfLocal(local: Date, zone: string | undefined): Date {
  if (zone === undefined) return local;
  const offsetAt = (date: Date) => localDate(date, zone).getTime() - date.getTime();
  const guess = new Date(local.getTime() - offsetAt(local));
  // The offset may differ on the other side of a daylight saving change.
  return new Date(local.getTime() - offsetAt(guess));
}

export const dayMilliseconds = 86_400_000;

export function dayOfYear(date: Date): number {
  return Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / dayMilliseconds) + 1;
}

/** The Thursday of the date's week. It decides the ISO year and week. */
export function isoThursday(date: Date): Date {
  return new Date(date.getTime() + (4 - (date.getUTCDay() || 7)) * dayMilliseconds);
}
