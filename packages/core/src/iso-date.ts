/** A calendar day in Kenya begins and ends three hours before it does in UTC, all year. */
const nairobi = "+03:00";

const dateForm = /^\d{4}-\d\d-\d\d$/;
const timeForm =
  /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/**
 * A date or a date-time of ISO 8601. A date-time is its instant; a date alone is the first or the
 * last instant of that day in Nairobi. Null when it is neither, or no day of the calendar.
 */
export function parseIsoDate(text: string, ofDay: "start" | "end"): Date | null {
  const date = text.slice(0, 10);
  if (!dateForm.test(date) || !isInCalendar(date)) return null;
  if (text === date) {
    const time = ofDay === "start" ? "00:00:00.000" : "23:59:59.999";
    return inFourDigits(new Date(`${date}T${time}${nairobi}`));
  }
  return text.charAt(10) === "T" && timeForm.test(text.slice(11))
    ? inFourDigits(new Date(text))
    : null;
}

/** An offset can lead out of the years that are written in four digits, and nobody reads the others. */
function inFourDigits(moment: Date): Date | null {
  const year = moment.getUTCFullYear();
  return year >= 0 && year <= 9_999 ? moment : null;
}

/** A day that a month does not have would become one of the next month. */
function isInCalendar(date: string): boolean {
  const day = new Date(`${date}T00:00:00Z`);
  return day.getUTCDate() === Number(date.slice(-2));
}
