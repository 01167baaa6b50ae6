import type { InvoiceStatus } from "@malipo/contracts";
import { basisPoints, cents } from "@malipo/core";
import { changeInvoice } from "../src/domain/invoice/change-invoice.ts";
import type { DecisionContext, Invoice } from "../src/domain/invoice/invoice.ts";
import { type InvoiceDraft, newInvoice } from "../src/domain/invoice/new-invoice.ts";
import { payInvoice } from "../src/domain/invoice/pay-invoice.ts";
import { noDiscount } from "../src/domain/invoice/totals.ts";
import { creditIdOf } from "../src/store/credits.ts";

export const made = new Date("2026-11-01T08:00:00Z");
export const duedate = new Date("2026-11-08T20:59:59.999Z");
export const afterDue = new Date("2026-11-09T08:00:00Z");
export const context: DecisionContext = { now: made, creditIdOf };

/** An id that ends in the number. */
export function idOf(number: number): string {
  return number.toString(16).padStart(24, "0");
}

/** An invoice over 1,000 shillings, unless the draft says otherwise. */
export function anInvoice(draft: Partial<InvoiceDraft> = {}): Invoice {
  const keys = { id: idOf(1), invoiceno: "INV-000001", code: "code", linkcode: "i23456789a" };
  const { entity } = newInvoice(
    idOf(2),
    keys,
    {
      customer: { id: idOf(3), name: "Asha", email: null, phone: "254712345678" },
      items: [{ itemid: idOf(4), name: "Internet", quantity: 1, rate: cents(100_000) }],
      discount: noDiscount,
      tax: null,
      duedate,
      issuedfor: null,
      ...draft,
    },
    made,
  );
  return entity;
}

/** An invoice that a PATCH has set to a status, after a payment. */
export function anInvoiceIn(status: InvoiceStatus, paid = 0): Invoice {
  const before = paid === 0 ? anInvoice() : pay(anInvoice(), idOf(900), paid);
  const changed = changeInvoice(before, { status }, context);
  if (!changed.ok) throw new Error(changed.error.text);
  return changed.value.entity;
}

export function pay(invoice: Invoice, key: string, amount: number): Invoice {
  const payment = { key, amount: cents(amount), at: made };
  return payInvoice(invoice, payment, context)?.entity ?? invoice;
}

export const vat = { id: idOf(5), title: "VAT", rate: basisPoints(1_600) };
