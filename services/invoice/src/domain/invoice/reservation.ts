import { addMs, type Cents, secondMs, sumCents } from "@malipo/core";
import { hasPayment, type Invoice, type InvoiceChange, type Reservation } from "./invoice.ts";

const reservationsMax = 20;
const reservationMs = 90 * secondMs;

export interface Prompt {
  readonly transactionid: string;
  readonly amount: Cents;
  readonly at: Date;
}

/** Reserves the amount of a prompt. Null if the prompt has expired, is known, or has been paid. */
export function reserve(invoice: Invoice, prompt: Prompt, now: Date): InvoiceChange | null {
  const { transactionid, amount } = prompt;
  const until = addMs(prompt.at, reservationMs);
  const isKnown = invoice.reservations.some((each) => each.transactionid === transactionid);
  if (until <= now || isKnown || hasPayment(invoice, transactionid)) return null;
  const open = invoice.reservations.filter((each) => each.until > now);
  const reservations = [...open, { transactionid, amount, until }].slice(-reservationsMax);
  return { entity: { ...invoice, reservations }, events: [] };
}

/** Removes the reservation of a prompt that failed. Null if there is none. */
export function release(invoice: Invoice, transactionid: string): InvoiceChange | null {
  const reservations = withoutReservation(invoice, transactionid);
  if (reservations.length === invoice.reservations.length) return null;
  return { entity: { ...invoice, reservations }, events: [] };
}

export function withoutReservation(
  { reservations }: Invoice,
  transactionid: string,
): readonly Reservation[] {
  return reservations.filter((each) => each.transactionid !== transactionid);
}

export function sumReserved({ reservations }: Invoice, now: Date): Cents {
  const open = reservations.filter(({ until }) => until > now);
  return sumCents(open.map(({ amount }) => amount));
}
