import type { NewEvent } from "@malipo/contracts";
import { type Cents, cents } from "@malipo/core";
import {
  type DecisionContext,
  deriveInvoice,
  hasPayment,
  type Invoice,
  type InvoiceChange,
} from "./invoice.ts";
import { creditGrantedEvents, invoiceEvent } from "./invoice-events.ts";
import { withoutReservation } from "./reservation.ts";
import { nextStatus } from "./status.ts";

export const paymentsMax = 500;

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
