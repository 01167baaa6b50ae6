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
  computeInvoiceTotals,
  type Invoice,
  type InvoiceCustomer,
  type InvoiceItem,
  type InvoicePayment,
  isCredit,
  type SummarizedInvoice,
} from "./invoice.ts";
import { computeLineTotal } from "./totals.ts";

export function viewSummary(invoice: SummarizedInvoice): InvoiceSummary {
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

/** The answer to a creation always shows `unpaid` and the full balance. The details show the payments. */
export function viewCreated(invoice: Invoice, publicUrl: string): CreatedInvoice {
  return {
    ...viewSummary(invoice),
    status: "unpaid",
    balance: centsToShillings(computeInvoiceTotals(invoice).total),
    invoicedate: invoice.invoicedate.toISOString(),
    items: invoice.items.map(viewItem),
    customer: viewCustomerCopy(invoice.customer),
    paymentlink: { _id: invoice.paylink.id, shorturl: buildPayUrl(invoice, publicUrl) },
    qrcode: buildQrUrl(invoice, publicUrl),
  };
}

export function viewInvoice(invoice: Invoice, publicUrl: string): InvoiceDetails {
  const { subtotal, discount, tax } = computeInvoiceTotals(invoice);
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
      total: centsToShillings(computeLineTotal(item)),
    })),
    customer: viewCustomerCopy(invoice.customer),
    payments: invoice.payments.map(viewPayment),
    settledoutside: centsToShillings(invoice.paidOutside),
    paymentlinks: [
      {
        _id: invoice.paylink.id,
        shorturl: invoice.paylink.code,
        rawurl: buildPayUrl(invoice, publicUrl),
        status: linkStatusOf(invoice.status),
      },
    ],
    qrcode: buildQrUrl(invoice, publicUrl),
    printurl: `${publicUrl}/i/${invoice.code}`,
    subscriptionid: invoice.issuedfor?.subscriptionid ?? null,
    updatedat: invoice.updatedat.toISOString(),
  };
}

/** The fields that the PATCH named, as they are now. */
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

/** A link is active while its invoice can still be paid, now or later. */
export function linkStatusOf(status: InvoiceStatus): (typeof linkStatuses)[number] {
  return status === "paid" || status === "cancelled" ? status : "active";
}

export function buildPayUrl({ paylink }: Invoice, publicUrl: string): string {
  return `${publicUrl}/p/${paylink.code}`;
}

function buildQrUrl({ paylink }: Invoice, publicUrl: string): string {
  return `${publicUrl}/qr/${paylink.code}.png`;
}

function viewItem({ itemid, name, quantity, rate }: InvoiceItem): CreatedInvoice["items"][number] {
  return { itemid, name, quantity, rate: centsToShillings(rate) };
}

function viewCustomerCopy({ id, name, email, phone }: InvoiceCustomer): CreatedInvoice["customer"] {
  return { _id: id, name, email, phone };
}

function viewPayment(payment: InvoicePayment): InvoiceDetails["payments"][number] {
  const { key, amount, applied, at } = payment;
  return {
    _id: key,
    source: isCredit(payment) ? "credit" : "payment",
    amount: centsToShillings(amount),
    applied: centsToShillings(applied),
    at: at.toISOString(),
  };
}
