import type {
  CreatedInvoice,
  InvoiceDetails,
  InvoiceStatus,
  InvoiceSummary,
  InvoiceUpdated,
  linkStatuses,
} from "@malipo/contracts";
import { centsToShillings } from "@malipo/core";
import type { InvoicePatch } from "./change-invoice.ts";
import {
  type Invoice,
  type InvoiceCustomer,
  type InvoiceItem,
  type InvoicePayment,
  totalsOfInvoice,
} from "./invoice.ts";
import { lineTotal } from "./totals.ts";

export function viewSummary(invoice: Invoice): InvoiceSummary {
  return {
    _id: invoice.id,
    invoiceno: invoice.invoiceno,
    title: invoice.title,
    status: invoice.status,
    balance: centsToShillings(invoice.balance),
    duedate: invoice.duedate.toISOString(),
    createdat: invoice.createdat.toISOString(),
  };
}

/** As it was when it was made: unpaid, with all of it to be paid. What came then is seen in its details. */
export function viewCreated(invoice: Invoice, publicUrl: string): CreatedInvoice {
  return {
    ...viewSummary(invoice),
    status: "unpaid",
    balance: centsToShillings(totalsOfInvoice(invoice).total),
    invoicedate: invoice.invoicedate.toISOString(),
    items: invoice.items.map(viewItem),
    customer: viewCustomerOn(invoice.customer),
    paymentlink: { _id: invoice.paylink.id, shorturl: payAddress(invoice, publicUrl) },
    qrcode: qrAddress(invoice, publicUrl),
  };
}

export function viewInvoice(invoice: Invoice, publicUrl: string): InvoiceDetails {
  const { subtotal, discount, tax } = totalsOfInvoice(invoice);
  return {
    ...viewSummary(invoice),
    description: invoice.description,
    remark: invoice.remark,
    subtotal: centsToShillings(subtotal),
    discount: centsToShillings(discount),
    discounttype: invoice.discount.type,
    taxamount: centsToShillings(tax),
    taxid: invoice.tax?.id ?? null,
    invoicedate: invoice.invoicedate.toISOString(),
    items: invoice.items.map((item) => ({
      ...viewItem(item),
      total: centsToShillings(lineTotal(item)),
    })),
    customer: viewCustomerOn(invoice.customer),
    payments: invoice.payments.map(viewPayment),
    settledoutside: centsToShillings(invoice.settled),
    paymentlinks: [
      {
        _id: invoice.paylink.id,
        shorturl: invoice.paylink.code,
        rawurl: payAddress(invoice, publicUrl),
        status: linkStatusOf(invoice.status),
      },
    ],
    qrcode: qrAddress(invoice, publicUrl),
    printurl: `${publicUrl}/i/${invoice.code}`,
    subscriptionid: invoice.issuedfor?.subscriptionid ?? null,
    updatedat: invoice.updatedat.toISOString(),
  };
}

/** What was sent, as it is now. */
export function viewUpdated(invoice: Invoice, patch: InvoicePatch): InvoiceUpdated {
  return {
    ...(patch.title !== undefined && { title: invoice.title }),
    ...(patch.description !== undefined && { description: invoice.description }),
    ...(patch.status !== undefined && { status: invoice.status }),
    ...(patch.duedate !== undefined && { duedate: invoice.duedate.toISOString() }),
    ...(patch.discount !== undefined && { discount: invoice.discount.hundredths / 100 }),
    ...(patch.discounttype !== undefined && { discounttype: invoice.discount.type }),
    updatedat: invoice.updatedat.toISOString(),
  };
}

/** A link is open as long as its invoice may still be paid, at once or one day. */
export function linkStatusOf(status: InvoiceStatus): (typeof linkStatuses)[number] {
  return status === "paid" || status === "cancelled" ? status : "active";
}

export function payAddress({ paylink }: Invoice, publicUrl: string): string {
  return `${publicUrl}/p/${paylink.code}`;
}

function qrAddress({ paylink }: Invoice, publicUrl: string): string {
  return `${publicUrl}/qr/${paylink.code}.png`;
}

function viewItem({ itemid, name, quantity, rate }: InvoiceItem): CreatedInvoice["items"][number] {
  return { itemid, name, quantity, rate: centsToShillings(rate) };
}

function viewCustomerOn({ id, name, email, phone }: InvoiceCustomer): CreatedInvoice["customer"] {
  return { _id: id, name, email, phone };
}

function viewPayment(payment: InvoicePayment): InvoiceDetails["payments"][number] {
  const { key, amount, applied, at } = payment;
  return {
    _id: key,
    source: key.startsWith("credit:") ? "credit" : "payment",
    amount: centsToShillings(amount),
    applied: centsToShillings(applied),
    at: at.toISOString(),
  };
}
