import type { InvoiceStatus } from "@malipo/contracts";
import type { Cents } from "@malipo/core";

const amounts = new Intl.NumberFormat("en-KE", {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});
const wholes = new Intl.NumberFormat("en-KE");
const days = new Intl.DateTimeFormat("en-GB", {
  timeZone: "Africa/Nairobi",
  day: "numeric",
  month: "long",
  year: "numeric",
});
const moments = new Intl.DateTimeFormat("en-GB", {
  timeZone: "Africa/Nairobi",
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  hour12: false,
});

export function amountWords(amount: Cents): string {
  return amounts.format(amount / 100);
}

export function moneyWords(amount: Cents): string {
  return `KES ${amountWords(amount)}`;
}

export function quantityWords(quantity: number): string {
  return wholes.format(quantity);
}

export function dayWords(date: Date): string {
  return days.format(date);
}

export function momentWords(date: Date): string {
  return moments.format(date);
}

export const statusWords: Readonly<Record<InvoiceStatus, string>> = {
  draft: "Draft",
  unpaid: "Unpaid",
  partially_paid: "Partially paid",
  paid: "Paid",
  overdue: "Overdue",
  cancelled: "Cancelled",
};

const inARow = 3;
const stackedMarks = new RegExp(`(\\p{M}{${inARow}})\\p{M}+`, "gu");

/**
 * A customer's text without what nobody sees but what changes what others see: control characters,
 * overrides of direction, invisible characters, towers of accents. Lines end in one way.
 */
export function printable(text: string): string {
  const shown = text
    .replaceAll(/\r\n?|[\u2028\u2029]/g, "\n")
    .replaceAll("\t", " ")
    .replaceAll(/[^\P{C}\n]/gu, "")
    .normalize("NFC")
    .replaceAll(stackedMarks, "$1")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
  return shown === "" ? "–" : shown;
}
