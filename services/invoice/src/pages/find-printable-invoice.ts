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
import { type Invoice, type InvoicePayment, totalsOfInvoice } from "../domain/invoice/invoice.ts";
import { lineTotal } from "../domain/invoice/totals.ts";
import { payAddress } from "../domain/invoice/view-invoice.ts";
import type { InvoicePrint, PrintPayment } from "./printable-invoice.ts";

/** What the code opens, as it is now. */
export async function findPrint(
  { codes, invoices, businesses, publicUrl }: Deps,
  code: string,
): Promise<Result<InvoicePrint, Fault>> {
  const target = await codes.find(code);
  const found = target && (await invoices.find(target.businessid, target.recordid));
  if (found?.entity.code !== code) return err(notFound("invoice"));
  const business = await businesses.get(found.entity.businessid);
  return business.ok ? ok(printOf(found.entity, business.value, publicUrl)) : business;
}

function printOf(
  invoice: Invoice,
  { settings, status }: Pick<BusinessView, "settings" | "status">,
  publicUrl: string,
): InvoicePrint {
  const { customer, tax } = invoice;
  const totals = totalsOfInvoice(invoice);
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
      total: lineTotal(item),
    })),
    subtotal: totals.subtotal,
    discount: totals.discount,
    tax: tax && { title: tax.title, percent: basisPointsToPercent(tax.rate), amount: totals.tax },
    total: totals.total,
    payments: paymentsOn(invoice),
    // Of a cancelled invoice nothing is asked for.
    balance: isCancelled ? cents(0) : invoice.balance,
    payaddress: invoice.owed === null ? null : payAddress(invoice, publicUrl),
    code: invoice.code,
    asof: invoice.updatedat,
  };
}

/** What stands on the invoice; a surplus is the customer's credit and shown where it is used. */
function paymentsOn({ payments, settled }: Invoice): PrintPayment[] {
  return [
    ...payments.filter(({ applied }) => applied > 0).map(printPayment),
    ...(settled > 0 ? [{ at: null, label: "Settled with the business", amount: settled }] : []),
  ];
}

function printPayment({ key, applied, at, momoreceiptnumber }: InvoicePayment): PrintPayment {
  const label = key.startsWith("credit:") ? "Credit" : "Payment";
  return {
    at,
    label: momoreceiptnumber === undefined ? label : `M-Pesa ${momoreceiptnumber}`,
    amount: applied,
  };
}
