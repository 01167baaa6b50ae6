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

export function formatAmount(amount: Cents): string {
  return amounts.format(centsToShillings(amount));
}

export function formatMoney(amount: Cents): string {
  return `KES ${formatAmount(amount)}`;
}

export function formatQuantity(quantity: number): string {
  return wholes.format(quantity);
}

export function formatDay(date: Date): string {
  return days.format(date);
}

export function formatTime(date: Date): string {
  return moments.format(date);
}

export const statusLabels: Readonly<Record<InvoiceStatus, string>> = {
  draft: "Draft",
  unpaid: "Unpaid",
  partially_paid: "Partially paid",
  paid: "Paid",
  overdue: "Overdue",
  cancelled: "Cancelled",
};
