import { MongoError } from "../../../errors.ts";
import { isNumber, toDouble } from "../../values/numbers/numbers.ts";
import { shellText } from "../../values/shell-text.ts";
import { dateOfLocal, dayMilliseconds, requireZone } from "./dates.ts";
import { type CompileOperator, isNullish, named } from "../operator.ts";
import { isDocument } from "../../values/document.ts";

const timeParts = ["hour", "minute", "second", "millisecond"];
const calendarParts = ["month", "day"];
const weekParts = ["isoWeek", "isoDayOfWeek"];

type Values = Readonly<Record<string, unknown>>;

/** A part beyond its range carries over: month 14 is February of the next year. */
function part(values: Values, name: string, otherwise: number): number {
  const value = values[name];
  if (value === undefined) return otherwise;
  const number = isNumber(value) ? toDouble(value) : Number.NaN;
  if (!Number.isInteger(number)) {
    throw new MongoError(40515, `'${name}' must evaluate to an integer, found ${shellText(value)}`);
  }
  if (Math.abs(number) > 32_767 && !timeParts.includes(name)) {
    throw new MongoError(31034, `'${name}' must evaluate to a value in the range [-32768, 32767]`);
  }
  return number;
}

function yearPart(values: Values, name: string): number {
  const year = part(values, name, 0);
  if (year >= 1 && year <= 9999) return year;
  throw new MongoError(40523, `'${name}' must evaluate to an integer in the range 1 to 9999`);
}

/** Midnight of the date, in UTC. */
function calendarDay(values: Values): number {
  const date = new Date(0);
  date.setUTCFullYear(
    yearPart(values, "year"),
    part(values, "month", 1) - 1,
    part(values, "day", 1),
  );
  return date.getTime();
}

/** January 4 is always in the first ISO week. */
function weekDay(values: Values): number {
  const fourth = new Date(0);
  fourth.setUTCFullYear(yearPart(values, "isoWeekYear"), 0, 4);
  const monday = fourth.getTime() - ((fourth.getUTCDay() || 7) - 1) * dayMilliseconds;
  const days = (part(values, "isoWeek", 1) - 1) * 7 + part(values, "isoDayOfWeek", 1) - 1;
  return monday + days * dayMilliseconds;
}

function compute(dayOf: (values: Values) => number) {
  return (values: Values): unknown => {
    // As in MongoDB, a part whose expression gives a missing value counts as null.
    if (Object.keys(values).some((key) => isNullish(values[key]))) return null;
    const zone = requireZone(values["timezone"]);
    const time =
      part(values, "hour", 0) * 3_600_000 +
      part(values, "minute", 0) * 60_000 +
      part(values, "second", 0) * 1000 +
      part(values, "millisecond", 0);
    return dateOfLocal(new Date(dayOf(values) + time), zone);
  };
}

const byCalendar = named(
  ["year"],
  [...calendarParts, ...timeParts, "timezone"],
  compute(calendarDay),
);
const byWeek = named(["isoWeekYear"], [...weekParts, ...timeParts, "timezone"], compute(weekDay));

export const dateFromParts: CompileOperator = (name, operand, ...rest) => {
  const isWeek = isDocument(operand) && operand["isoWeekYear"] !== undefined;
  return (isWeek ? byWeek : byCalendar)(name, operand, ...rest);
};
