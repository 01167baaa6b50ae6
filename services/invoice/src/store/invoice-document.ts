import { basisPoints, cents } from "@malipo/core";
import type { Document } from "mongodb";
import type {
  Invoice,
  InvoiceItem,
  InvoicePayment,
  Reservation,
} from "../domain/invoice/invoice.ts";

/*
 * How an invoice is stored. Three stored names are older than the names in the code. They stay, because
 * the previous release reads the same documents. Only this file and the queries of invoices.ts use them:
 *
 *   code              stored
 *   paidOutside       settled
 *   appliedDueDates   judged
 *   overdueFailure    duefailed
 */
export interface StoredInvoice extends Omit<
  Invoice,
  "paidOutside" | "appliedDueDates" | "overdueFailure"
> {
  readonly settled: Invoice["paidOutside"];
  readonly judged: Invoice["appliedDueDates"];
  readonly duefailed: Invoice["overdueFailure"];
}

export function toStored(invoice: Invoice): StoredInvoice {
  const { paidOutside, appliedDueDates, overdueFailure, ...same } = invoice;
  return { ...same, settled: paidOutside, judged: appliedDueDates, duefailed: overdueFailure };
}

export function fromStored(stored: StoredInvoice): Invoice {
  const { settled, judged, duefailed, ...same } = stored;
  return { ...same, paidOutside: settled, appliedDueDates: judged, overdueFailure: duefailed };
}

/** Reads the fields of a document. Amounts and rates are checked again. */
export function readFields(
  ids: { readonly id: string; readonly businessid: string },
  fields: Document,
): StoredInvoice {
  const { tax, owed } = fields;
  return {
    ...ids,
    invoiceno: fields["invoiceno"],
    title: fields["title"],
    description: fields["description"],
    remark: fields["remark"],
    status: fields["status"],
    customer: fields["customer"],
    items: fields["items"] as InvoiceItem[],
    discount: fields["discount"],
    tax: tax && { ...tax, rate: basisPoints(tax.rate) },
    payments: fields["payments"] as InvoicePayment[],
    settled: cents(fields["settled"]),
    reservations: fields["reservations"] as Reservation[],
    judged: fields["judged"],
    invoicedate: fields["invoicedate"],
    duedate: fields["duedate"],
    code: fields["code"],
    paylink: fields["paylink"],
    issuedfor: fields["issuedfor"],
    createdat: fields["createdat"],
    updatedat: fields["updatedat"],
    balance: cents(fields["balance"]),
    owed: owed === null ? null : cents(owed),
    dueat: fields["dueat"],
    duefailed: fields["duefailed"] ?? null,
    bucket: fields["bucket"],
    issuekey: fields["issuekey"],
  };
}
