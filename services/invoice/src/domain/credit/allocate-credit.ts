import { type Cents, cents } from "@malipo/core";
import { type DecisionContext, hasPayment, type Invoice } from "../invoice/invoice.ts";
import { isFull, payInvoice } from "../invoice/pay-invoice.ts";
import { addUse, type Credit, creditPaymentKey, usesOn } from "./credit.ts";

export interface PlannedUse {
  readonly credit: Credit;
  readonly invoice: Invoice;
  readonly nth: number;
  readonly amount: Cents;
}

/**
 * Plans the next use: the oldest credit pays the invoice that its money was paid for, or else the
 * oldest open invoice. Both lists are oldest first. Null if no credit fits an invoice.
 */
export function planCreditUse(
  credits: readonly Credit[],
  invoices: readonly Invoice[],
): PlannedUse | null {
  for (const credit of credits) {
    if (credit.unspent === 0) continue;
    const origin = invoices.filter(({ id }) => id === credit.invoiceid);
    const invoice = [...origin, ...invoices].find((each) => canTake(each, credit));
    if (!invoice?.owed) continue;
    const nth = usesOn(credit, invoice.id).length + 1;
    return { credit, invoice, nth, amount: cents(Math.min(credit.unspent, invoice.owed)) };
  }
  return null;
}

/**
 * An invoice takes a credit only after it has received the earlier uses of that credit: until then it
 * owes less than it shows.
 */
function canTake(invoice: Invoice, credit: Credit): boolean {
  return (
    invoice.owed !== null &&
    !isFull(invoice) &&
    usesOn(credit, invoice.id).every(({ nth }) =>
      hasPayment(invoice, creditPaymentKey(credit.id, invoice.id, nth)),
    )
  );
}

/**
 * The invoices as they are after the credit has paid them. Reads use this, because credit is applied
 * by events a moment after it becomes available, and a read must not change anything.
 */
export function previewCredit(
  credits: readonly Credit[],
  invoices: readonly Invoice[],
  context: DecisionContext,
): readonly Invoice[] {
  const after = new Map(invoices.map((invoice) => [invoice.id, invoice]));
  const left = new Map(credits.map((credit) => [credit.id, credit]));

  function pay(invoice: Invoice, credit: Credit, nth: number, amount: Cents): void {
    const key = creditPaymentKey(credit.id, invoice.id, nth);
    const change = payInvoice(invoice, { key, amount, at: context.now }, context);
    if (change) after.set(invoice.id, change.entity);
  }

  // A use that is stored on the credit but has not reached the invoice yet.
  for (const credit of credits) {
    for (const { invoiceid, nth, amount } of credit.uses) {
      const invoice = after.get(invoiceid);
      if (invoice) pay(invoice, credit, nth, amount);
    }
  }
  for (;;) {
    const planned = planCreditUse([...left.values()], [...after.values()]);
    if (!planned) return [...after.values()];
    const { credit, invoice, nth, amount } = planned;
    left.set(credit.id, addUse(credit, { invoiceid: invoice.id, nth, amount, at: context.now }));
    pay(invoice, credit, nth, amount);
  }
}
