import { randomBytes, randomInt } from "node:crypto";
import { formatNairobiDigits } from "./nairobi-time.ts";

/** The form in use today and the one before it. Real traffic contains both. */
export type IdForm = "current" | "older";

/** Both forms begin with the date. The current form ends in the last nine digits of the phone number. */
export function createCheckoutRequestId(at: Date, phone: string, form: IdForm): string {
  const digits = formatNairobiDigits(at);
  const [year, month, day] = [digits.slice(0, 4), digits.slice(4, 6), digits.slice(6, 8)];
  const start = `ws_CO_${day}${month}${year}${digits.slice(8)}`;
  return form === "current" ? start + phone.slice(-9) : start + randomInt(10);
}

export function createMerchantRequestId(form: IdForm): string {
  if (form === "older") return createRequestId();
  const hex = randomBytes(14).toString("hex");
  return [hex.slice(0, 4), hex.slice(4, 8), hex.slice(8, 12), hex.slice(12)].join("-");
}

export function createRequestId(): string {
  return `${randomInt(1_000, 100_000)}-${randomInt(1_000_000, 100_000_000)}-1`;
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const days = `123456789${letters}`;
const symbols = `0123456789${letters}`;
/** Receipts of 2006 begin with A. */
const firstYear = 2006;

/** Ten characters: one each for year, month and day, then seven random ones. */
export function createReceiptNumber(at: Date): string {
  const digits = formatNairobiDigits(at);
  const year = letters[(Number(digits.slice(0, 4)) - firstYear) % letters.length];
  const month = letters[Number(digits.slice(4, 6)) - 1];
  const day = days[Number(digits.slice(6, 8)) - 1];
  const rest = Array.from({ length: 7 }, () => symbols[randomInt(symbols.length)]);
  return [year, month, day, ...rest].join("");
}
