import type { NewEvent } from "@malipo/contracts";
import { addMs, type Cents, cents, secondMs } from "@malipo/core";
import { creditIdOf } from "../credit/credit-key.ts";
import { type Invoice, type InvoiceChange, reckon, type Reservation } from "./invoice.ts";
import { creditGranted, invoiceEvent } from "./invoice-events.ts";
import { moved } from "./status.ts";

export const paymentsMax = 500;
const reservationsMax = 20;
const reservationMs = 90 * secondMs;

export interface Payment {
  readonly key: string;
  readonly amount: Cents;
  readonly at: Date;
  readonly momoreceiptnumber?: string;
}

/** Whether it takes no further payment: what comes then is credit as a whole. */
export function isFull({ payments }: Invoice): boolean {
  return payments.length >= paymentsMax;
}

export function holdsPayment({ payments }: Invoice, key: string): boolean {
  return payments.some((payment) => payment.key === key);
}

/** A payment counts once. What is owed stands on the invoice, the rest becomes credit. */
export function payInvoice(invoice: Invoice, payment: Payment, now: Date): InvoiceChange | null {
  if (holdsPayment(invoice, payment.key) || isFull(invoice)) return null;
  const room = invoice.status === "cancelled" ? 0 : invoice.balance;
  const applied = cents(Math.min(room, payment.amount));
  const trigger = applied === invoice.balance ? "full payment" : "part payment";
  const entity = reckon({
    ...invoice,
    status: moved(invoice.status, trigger) ?? invoice.status,
    payments: [...invoice.payments, { ...payment, applied }],
    reservations: withoutReservation(invoice, payment.key),
    updatedat: now,
  });
  const surplus = cents(payment.amount - applied);
  const grants = surplus > 0 ? [{ creditid: creditIdOf(payment.key), granted: surplus }] : [];
  return {
    entity,
    events: [...paymentEvents(invoice, entity, applied), ...creditGranted(entity, grants)],
  };
}

function paymentEvents(before: Invoice, after: Invoice, applied: Cents): readonly NewEvent[] {
  if (after.status === "paid") {
    return before.status === "paid" ? [] : [invoiceEvent("invoice.paid", after)];
  }
  return applied > 0 ? [invoiceEvent("invoice.partially_paid", after)] : [];
}

/** A prompt that was sent at that moment; nothing when it is over, or its money is here already. */
export function reserve(
  invoice: Invoice,
  prompt: { readonly transactionid: string; readonly amount: Cents; readonly at: Date },
  now: Date,
): InvoiceChange | null {
  const { transactionid, amount } = prompt;
  const until = addMs(prompt.at, reservationMs);
  const isKnown = invoice.reservations.some((each) => each.transactionid === transactionid);
  if (until <= now || isKnown || holdsPayment(invoice, transactionid)) return null;
  const live = invoice.reservations.filter((each) => each.until > now);
  const reservations = [...live, { transactionid, amount, until }].slice(-reservationsMax);
  return { entity: { ...invoice, reservations }, events: [] };
}

/** A prompt that came to nothing. */
export function release(invoice: Invoice, transactionid: string): InvoiceChange | null {
  const reservations = withoutReservation(invoice, transactionid);
  if (reservations.length === invoice.reservations.length) return null;
  return { entity: { ...invoice, reservations }, events: [] };
}

function withoutReservation({ reservations }: Invoice, transactionid: string): Reservation[] {
  return reservations.filter((each) => each.transactionid !== transactionid);
}
