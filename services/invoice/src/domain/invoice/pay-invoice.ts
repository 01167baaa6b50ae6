import { type NewEvent, promptLifetimeMs } from "@malipo/contracts";
import { addMs, type Cents, cents, sumCents } from "@malipo/core";
import {
  type DecisionContext,
  deriveInvoice,
  hasPayment,
  type Invoice,
  type InvoiceChange,
  type Reservation,
} from "./invoice.ts";
import { creditGrantedEvents, invoiceEvent } from "./invoice-events.ts";
import { nextStatus } from "./status.ts";

export const paymentsMax = 500;
const reservationsMax = 20;

export interface Payment {
  readonly key: string;
  readonly amount: Cents;
  readonly at: Date;
  readonly momoreceiptnumber?: string;
}

/** A full invoice takes no further payment. The whole amount then becomes credit. */
export function isFull({ payments }: Invoice): boolean {
  return payments.length >= paymentsMax;
}

/**
 * Applies a payment. The balance is paid first; the surplus becomes credit. Null if the invoice
 * already has the payment, because every payment counts once, or if it is full.
 */
export function payInvoice(
  invoice: Invoice,
  payment: Payment,
  { now, creditIdOf }: DecisionContext,
): InvoiceChange | null {
  if (hasPayment(invoice, payment.key) || isFull(invoice)) return null;
  const payable = invoice.status === "cancelled" ? 0 : invoice.balance;
  const applied = cents(Math.min(payable, payment.amount));
  const trigger = applied === invoice.balance ? "full payment" : "part payment";
  const entity = deriveInvoice({
    ...invoice,
    status: nextStatus(invoice.status, trigger) ?? invoice.status,
    payments: [...invoice.payments, { ...payment, applied }],
    reservations: withoutReservation(invoice, payment.key),
    updatedat: now,
  });
  const surplus = cents(payment.amount - applied);
  const grants = surplus > 0 ? [{ creditid: creditIdOf(payment.key), granted: surplus }] : [];
  return {
    entity,
    events: [...paymentEvents(invoice, entity, applied), ...creditGrantedEvents(entity, grants)],
  };
}

function paymentEvents(before: Invoice, after: Invoice, applied: Cents): readonly NewEvent[] {
  if (after.status === "paid") {
    return before.status === "paid" ? [] : [invoiceEvent("invoice.paid", after)];
  }
  return applied > 0 ? [invoiceEvent("invoice.partially_paid", after)] : [];
}

export interface Prompt {
  readonly transactionid: string;
  readonly amount: Cents;
  readonly at: Date;
}

/** Reserves the amount of a prompt. Null if the prompt has expired, is known, or has been paid. */
export function reserve(invoice: Invoice, prompt: Prompt, now: Date): InvoiceChange | null {
  const { transactionid, amount } = prompt;
  const until = addMs(prompt.at, promptLifetimeMs);
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

function withoutReservation(
  { reservations }: Invoice,
  transactionid: string,
): readonly Reservation[] {
  return reservations.filter((each) => each.transactionid !== transactionid);
}

export function sumReserved({ reservations }: Invoice, now: Date): Cents {
  const open = reservations.filter(({ until }) => until > now);
  return sumCents(open.map(({ amount }) => amount));
}
