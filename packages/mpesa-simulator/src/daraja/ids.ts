import { randomBytes, randomInt } from "node:crypto";
import { nairobiDigits } from "./nairobi-time.ts";

/** The form in use today, and the one before it; real traffic has been seen with both. */
export type IdForm = "current" | "older";

/** Both forms begin with the date; the current one ends in the subscriber's own nine digits. */
export function checkoutRequestId(at: Date, phone: string, form: IdForm): string {
  const digits = nairobiDigits(at);
  const [year, month, day] = [digits.slice(0, 4), digits.slice(4, 6), digits.slice(6, 8)];
  const start = `ws_CO_${day}${month}${year}${digits.slice(8)}`;
  return form === "current" ? start + phone.slice(-9) : start + randomInt(10);
}

export function merchantRequestId(form: IdForm): string {
  if (form === "older") return requestId();
  const hex = randomBytes(14).toString("hex");
  return [hex.slice(0, 4), hex.slice(4, 8), hex.slice(8, 12), hex.slice(12)].join("-");
}

export function requestId(): string {
  return `${randomInt(1_000, 100_000)}-${randomInt(1_000_000, 100_000_000)}-1`;
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const days = `123456789${letters}`;
const symbols = `0123456789${letters}`;
/** Receipts of 2006 begin with A. */
const firstYear = 2006;

/** Ten characters: year, month and day in one each, and seven of M-Pesa's own. */
export function receiptNumber(at: Date): string {
  const digits = nairobiDigits(at);
  const year = letters[(Number(digits.slice(0, 4)) - firstYear) % letters.length];
  const month = letters[Number(digits.slice(4, 6)) - 1];
  const day = days[Number(digits.slice(6, 8)) - 1];
  const rest = Array.from({ length: 7 }, () => symbols[randomInt(symbols.length)]);
  return [year, month, day, ...rest].join("");
}
