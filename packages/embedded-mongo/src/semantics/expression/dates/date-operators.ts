import { MongoError } from "../../../errors.ts";
import { computeWithMingo } from "../../mingo.ts";
import { dateFromParts } from "./date-from-parts.ts";
import {
  dateOfLocal,
  dayMilliseconds,
  dayOfYear,
  isoThursday,
  localDate,
  requireDate,
  requireZone,
} from "./dates.ts";
import { isDocument } from "../../values/document.ts";
import { typeName } from "../../values/types.ts";
import { type CompileOperator, isNullish, named, positional, requireInteger } from "../operator.ts";

const parts: Readonly<Record<string, (local: Date) => unknown>> = {
  $year: (local) => local.getUTCFullYear(),
  $month: (local) => local.getUTCMonth() + 1,
  $dayOfMonth: (local) => local.getUTCDate(),
  $hour: (local) => local.getUTCHours(),
  $minute: (local) => local.getUTCMinutes(),
  $second: (local) => local.getUTCSeconds(),
  $millisecond: (local) => local.getUTCMilliseconds(),
  $dayOfWeek: (local) => local.getUTCDay() + 1,
  $dayOfYear: dayOfYear,
  $week: (local) => Math.floor((dayOfYear(local) + 6 - local.getUTCDay()) / 7),
  $isoDayOfWeek: (local) => local.getUTCDay() || 7,
  $isoWeek: (local) => Math.ceil(dayOfYear(isoThursday(local)) / 7),
  $isoWeekYear: (local) => BigInt(isoThursday(local).getUTCFullYear()),
};

function datePart(name: string): CompileOperator {
  const compute = parts[name] as (local: Date) => unknown;
  const withZone = named(["date"], ["timezone"], ({ date, timezone }) => {
    if (isNullish(date) || timezone === null) return null;
    return compute(localDate(requireDate(name, date), requireZone(timezone)));
  });
  const alone = positional(1, 1, (date) =>
    isNullish(date) ? null : compute(requireDate(name, date)),
  );
  return (...given) => {
    const [, operand] = given;
    return isDocument(operand) && operand["date"] !== undefined
      ? withZone(...given)
      : alone(...given);
  };
}

const formatParts: Readonly<Record<string, (local: Date) => string>> = {
  "%Y": (local) => pad(local.getUTCFullYear(), 4),
  "%m": (local) => pad(local.getUTCMonth() + 1, 2),
  "%d": (local) => pad(local.getUTCDate(), 2),
  "%H": (local) => pad(local.getUTCHours(), 2),
  "%M": (local) => pad(local.getUTCMinutes(), 2),
  "%S": (local) => pad(local.getUTCSeconds(), 2),
  "%L": (local) => pad(local.getUTCMilliseconds(), 3),
  "%j": (local) => pad(dayOfYear(local), 3),
  "%u": (local) => String(local.getUTCDay() || 7),
  "%w": (local) => String(local.getUTCDay() + 1),
  "%G": (local) => pad(isoThursday(local).getUTCFullYear(), 4),
  "%V": (local) => pad(Math.ceil(dayOfYear(isoThursday(local)) / 7), 2),
  "%U": (local) => pad(Math.floor((dayOfYear(local) + 6 - local.getUTCDay()) / 7), 2),
  "%%": () => "%",
};

function pad(value: number, width: number): string {
  return String(value).padStart(width, "0");
}

function dateToString(values: Readonly<Record<string, unknown>>): unknown {
  const { date, format, timezone, onNull } = values;
  if (isNullish(date)) return "onNull" in values ? onNull : null;
  if (format === null || timezone === null) return null;
  if (format !== undefined && typeof format !== "string") {
    throw new MongoError(
      18533,
      `$dateToString requires that 'format' be a string, found: ${typeName(format)}`,
    );
  }
  const zone = requireZone(timezone);
  const local = localDate(requireDate("$dateToString", date), zone);
  const text = format ?? `%Y-%m-%dT%H:%M:%S.%L${zone === undefined ? "Z" : ""}`;
  return text.replace(/%(?:.|$)/gs, (specifier) => {
    const part = formatParts[specifier];
    if (part !== undefined) return part(local);
    throw new MongoError(18536, `Invalid format character '${specifier}' in format string`);
  });
}

const units = [
  "year",
  "quarter",
  "month",
  "week",
  "day",
  "hour",
  "minute",
  "second",
  "millisecond",
];

function requireUnit(name: string, unit: unknown): string {
  if (typeof unit === "string" && units.includes(unit)) return unit;
  throw new MongoError("FailedToParse", `${name}: unknown time unit value: ${String(unit)}`);
}

/** Units of a day and longer are added in the calendar of the time zone. */
function shiftOperator(name: string, direction: 1 | -1): CompileOperator {
  return named(["startDate", "unit", "amount"], ["timezone"], (values) => {
    const { startDate, unit, amount, timezone } = values;
    if (isNullish(startDate) || isNullish(unit) || isNullish(amount) || timezone === null)
      return null;
    const wanted = requireUnit(name, unit);
    const onClock = ["hour", "minute", "second", "millisecond"].includes(wanted);
    const zone = onClock ? undefined : requireZone(timezone);
    const local = localDate(requireDate(name, startDate), zone);
    const by = direction * requireInteger(name, amount);
    const date = dateOfLocal(shiftDate(local, wanted, by), zone);
    if (!Number.isNaN(date.getTime())) return date;
    throw new MongoError(5166406, `${name} overflowed`);
  });
}

const unitMilliseconds: Readonly<Record<string, number>> = {
  week: 7 * dayMilliseconds,
  day: dayMilliseconds,
  hour: 3_600_000,
  minute: 60_000,
  second: 1000,
  millisecond: 1,
};
const unitMonths: Readonly<Record<string, number>> = { year: 12, quarter: 3, month: 1 };

/** A month later is the same day, or the last day of a shorter month. */
function shiftDate(date: Date, unit: string, by: number): Date {
  const milliseconds = unitMilliseconds[unit];
  if (milliseconds !== undefined) return new Date(date.getTime() + by * milliseconds);
  const month = monthNumber(date) + by * (unitMonths[unit] as number);
  const [year, inYear] = [Math.floor(month / 12), ((month % 12) + 12) % 12];
  const last = new Date(Date.UTC(year, inYear + 1, 0)).getUTCDate();
  const result = new Date(date);
  result.setUTCFullYear(year, inYear, Math.min(date.getUTCDate(), last));
  return result;
}

/** The number of unit boundaries between two dates. */
function dateDiff({
  startDate,
  endDate,
  unit,
  timezone,
  startOfWeek,
}: Readonly<Record<string, unknown>>): unknown {
  if (isNullish(startDate) || isNullish(endDate) || isNullish(unit)) return null;
  const zone = requireZone(timezone);
  const [start, end] = [startDate, endDate].map((date) =>
    localDate(requireDate("$dateDiff", date), zone),
  ) as [Date, Date];
  const wanted = requireUnit("$dateDiff", unit);
  if (wanted === "millisecond") return BigInt(end.getTime() - start.getTime());
  if (wanted === "week") {
    const first = typeof startOfWeek === "string" ? startOfWeek : "sunday";
    return BigInt(weekStart(end, first) - weekStart(start, first)) / 7n;
  }
  const milliseconds = unitMilliseconds[wanted];
  if (milliseconds !== undefined) {
    return BigInt(
      Math.floor(end.getTime() / milliseconds) - Math.floor(start.getTime() / milliseconds),
    );
  }
  const size = unitMonths[wanted] as number;
  return BigInt(Math.floor(monthNumber(end) / size) - Math.floor(monthNumber(start) / size));
}

function monthNumber(date: Date): number {
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/** The number of the day on which the week of a date starts. */
function weekStart(date: Date, startOfWeek: string): number {
  const first = weekdays.indexOf(startOfWeek.toLowerCase().slice(0, 3));
  if (first < 0)
    throw new MongoError("FailedToParse", `$dateDiff: unknown day of week value: ${startOfWeek}`);
  return Math.floor(date.getTime() / dayMilliseconds) - ((date.getUTCDay() - first + 7) % 7);
}

function dateTrunc({
  date,
  unit,
  binSize,
  timezone,
  startOfWeek,
}: Readonly<Record<string, unknown>>): unknown {
  if (isNullish(date) || isNullish(unit) || binSize === null || timezone === null) return null;
  const zone = requireZone(timezone);
  const size = binSize === undefined ? 1 : requireInteger("$dateTrunc", binSize);
  if (size <= 0)
    throw new MongoError(5439017, "$dateTrunc requires 'binSize' to be greater than 0");
  // mingo confuses time zones, so it gets the local date only.
  const local = computeWithMingo("$dateTrunc", {
    date: localDate(requireDate("$dateTrunc", date), zone),
    unit: requireUnit("$dateTrunc", unit),
    binSize: size,
    ...(typeof startOfWeek === "string" && { startOfWeek }),
  });
  return dateOfLocal(local as Date, zone);
}

export const dateOperators: Readonly<Record<string, CompileOperator>> = {
  $dateFromParts: dateFromParts,
  ...Object.fromEntries(Object.keys(parts).map((name) => [name, datePart(name)])),
  $dateToString: named(["date"], ["format", "timezone", "onNull"], dateToString),
  $dateAdd: shiftOperator("$dateAdd", 1),
  $dateSubtract: shiftOperator("$dateSubtract", -1),
  $dateDiff: named(["startDate", "endDate", "unit"], ["timezone", "startOfWeek"], dateDiff),
  $dateTrunc: named(["date", "unit"], ["binSize", "timezone", "startOfWeek"], dateTrunc),
};
