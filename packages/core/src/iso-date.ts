/** The UTC offset of Kenya, all year: a day begins three hours earlier than in UTC. */
const nairobiOffset = "+03:00";

const dateForm = /^\d{4}-\d\d-\d\d$/;
const timeForm =
  /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/**
 * Parses a date or a date-time of ISO 8601. A date without a time is the first or the last instant
 * of that day in Nairobi. Returns null for any other text and for a day that does not exist.
 */
export function parseIsoDate(text: string, ofDay: "start" | "end"): Date | null {
  const date = text.slice(0, 10);
  if (!dateForm.test(date) || !isInCalendar(date)) return null;
  if (text === date) {
    const time = ofDay === "start" ? "00:00:00.000" : "23:59:59.999";
    return withFourDigitYear(new Date(`${date}T${time}${nairobiOffset}`));
  }
  return text.charAt(10) === "T" && timeForm.test(text.slice(11))
    ? withFourDigitYear(new Date(text))
    : null;
}

/** An offset can move an instant outside years 0 to 9999, which many clients cannot read. */
function withFourDigitYear(moment: Date): Date | null {
  const year = moment.getUTCFullYear();
  return year >= 0 && year <= 9_999 ? moment : null;
}

/** `Date` turns 31 November into 1 December, so a changed day means that the day does not exist. */
function isInCalendar(date: string): boolean {
  const day = new Date(`${date}T00:00:00Z`);
  return day.getUTCDate() === Number(date.slice(-2));
}
