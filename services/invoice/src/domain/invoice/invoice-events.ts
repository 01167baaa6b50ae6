import type { InvoiceEventData, InvoiceEventInside, NewEvent } from "@malipo/contracts";
import { type Cents, centsToShillings } from "@malipo/core";
import { computeInvoiceTotals, excusedField, type Invoice } from "./invoice.ts";

export type InvoiceEventType =
  | "invoice.created"
  | "invoice.updated"
  | "invoice.paid"
  | "invoice.partially_paid"
  | "invoice.overdue";

export function invoiceEvent(type: InvoiceEventType, invoice: Invoice): NewEvent {
  return { type, data: eventData(invoice), inside: eventInside(invoice) };
}

/** Always shows `unpaid`, also for an invoice that is paid at once because its balance is zero. */
export function invoiceCreatedEvent(invoice: Invoice): NewEvent {
  const type = "invoice.created";
  const data: InvoiceEventData = { ...eventData(invoice), status: "unpaid" };
  return { type, data, inside: eventInside(invoice) };
}

/** The credit that a payment left, in total. A total makes repeated and late events harmless. */
export interface Grant {
  readonly creditid: string;
  readonly granted: Cents;
}

export function creditGrantedEvents(
  { id, customer }: Invoice,
  grants: readonly Grant[],
): readonly NewEvent[] {
  if (grants.length === 0) return [];
  return [
    {
      type: "credit.granted",
      data: {
        invoiceid: id,
        customerid: customer.id,
        grants: grants.map(({ creditid, granted }) => ({ creditid, cents: granted })),
      },
    },
  ];
}

/** The event of a status that a PATCH has set. Drafts, unpaid and cancelled invoices have none. */
export function statusEvents(before: Invoice, after: Invoice): readonly NewEvent[] {
  if (before.status === after.status) return [];
  switch (after.status) {
    case "paid":
    case "partially_paid":
    case "overdue":
      return [invoiceEvent(`invoice.${after.status}`, after)];
    case "draft":
    case "unpaid":
    case "cancelled":
      return [];
    default:
      return after.status satisfies never;
  }
}

function eventData(invoice: Invoice): InvoiceEventData {
  return {
    _id: invoice.id,
    invoiceno: invoice.invoiceno,
    status: invoice.status,
    balance: centsToShillings(invoice.balance),
    customer: { _id: invoice.customer.id, name: invoice.customer.name },
    duedate: invoice.duedate.toISOString(),
  };
}

function eventInside(invoice: Invoice): InvoiceEventInside {
  return {
    title: invoice.title,
    total: centsToShillings(computeInvoiceTotals(invoice).total),
    paylink: { _id: invoice.paylink.id, code: invoice.paylink.code },
    issuedfor: invoice.issuedfor,
    ...excusedField(invoice),
    createdat: invoice.createdat.toISOString(),
  };
}
