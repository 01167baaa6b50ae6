import type { InvoiceStatus } from "@malipo/contracts";
import { type Cents, centsToShillings } from "@malipo/core";

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
  return amounts.format(centsToShillings(amount));
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
