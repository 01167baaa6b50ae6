import type { BusinessView } from "@malipo/contracts";
import {
  cents,
  err,
  type Fault,
  basisPointsToPercent,
  maskEmail,
  maskPhone,
  notFound,
  ok,
  type Result,
} from "@malipo/core";
import type { Deps } from "../deps.ts";
import {
  computeInvoiceTotals,
  type Invoice,
  type InvoicePayment,
  isCredit,
} from "../domain/invoice/invoice.ts";
import { computeLineTotal } from "../domain/invoice/totals.ts";
import { buildPayUrl } from "../domain/invoice/view-invoice.ts";
import type { PrintableInvoice, PrintablePayment } from "./printable-invoice.ts";

interface FoundInvoice {
  readonly businessid: string;
  readonly invoice: PrintableInvoice;
}

/** Finds the invoice of a print code, in its present state. */
export async function findPrintableInvoice(
  { codes, invoices, businesses, publicUrl }: Deps,
  code: string,
): Promise<Result<FoundInvoice, Fault>> {
  const target = await codes.find(code);
  const found = target && (await invoices.find(target.businessid, target.recordid));
  // A pay link has a code in the same collection, and must not open the printed invoice.
  if (found?.code !== code) return err(notFound("invoice"));
  const business = await businesses.get(found.businessid);
  if (!business.ok) return business;
  const invoice = toPrintable(found, business.value, publicUrl);
  return ok({ businessid: found.businessid, invoice });
}

function toPrintable(
  invoice: Invoice,
  { settings, status }: Pick<BusinessView, "settings" | "status">,
  publicUrl: string,
): PrintableInvoice {
  const { customer, tax } = invoice;
  const totals = computeInvoiceTotals(invoice);
  const isCancelled = invoice.status === "cancelled";
  return {
    business: settings.displayname,
    suspended: status === "suspended",
    customer: {
      name: customer.name,
      email: customer.email && maskEmail(customer.email),
      phone: customer.phone && maskPhone(customer.phone),
    },
    invoiceno: invoice.invoiceno,
    title: invoice.title,
    description: invoice.description,
    status: invoice.status,
    issued: invoice.invoicedate,
    due: invoice.duedate,
    lines: invoice.items.map((item) => ({
      name: item.name,
      quantity: item.quantity,
      rate: item.rate,
      total: computeLineTotal(item),
    })),
    subtotal: totals.subtotal,
    discount: totals.discount,
    tax: tax && { title: tax.title, percent: basisPointsToPercent(tax.rate), amount: totals.tax },
    total: totals.total,
    payments: listPayments(invoice),
    // A cancelled invoice asks for nothing, although its balance is stored.
    balance: isCancelled ? cents(0) : invoice.balance,
    payaddress: invoice.owed === null ? null : buildPayUrl(invoice, publicUrl),
    code: invoice.code,
    asof: invoice.updatedat,
  };
}

/** The payments that pay this invoice. A surplus is credit, and is shown on the invoice it pays. */
function listPayments({ payments, paidOutside }: Invoice): PrintablePayment[] {
  return [
    ...payments.filter(({ applied }) => applied > 0).map(toPrintablePayment),
    ...(paidOutside > 0
      ? [{ at: null, label: "Settled with the business", amount: paidOutside }]
      : []),
  ];
}

function toPrintablePayment(payment: InvoicePayment): PrintablePayment {
  const { applied, at, momoreceiptnumber } = payment;
  const label = isCredit(payment) ? "Credit" : "Payment";
  return {
    at,
    label: momoreceiptnumber === undefined ? label : `M-Pesa ${momoreceiptnumber}`,
    amount: applied,
  };
}
