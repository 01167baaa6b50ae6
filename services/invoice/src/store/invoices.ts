import type { IssueKey } from "@malipo/contracts";
import { basisPoints, cents } from "@malipo/core";
import {
  dueIndex,
  newestFirst,
  type Numbered,
  openRecords,
  type ParkedPlace,
  parkedIndexOf,
  type Records,
  runningPart,
  type Service,
} from "@malipo/platform";
import type { Document } from "mongodb";
import {
  type Invoice,
  type InvoiceItem,
  type InvoicePayment,
  type Reservation,
  textOfKey,
} from "../domain/invoice/invoice.ts";

export type Invoices = Records<Invoice>;

export const invoiceNumbers: Numbered = { field: "invoiceno", prefix: "INV" };

/** Newest first within a status, or of one customer. */
const byStatus = { key: { businessid: 1, status: 1, createdat: -1, _id: -1 } } as const;
const byCustomer = { key: { businessid: 1, "customer.id": 1, createdat: -1, _id: -1 } } as const;

/** What asks for money: oldest first. A query of an index repeats its condition. */
export const isOwed = { owed: { $gt: 0 } } as const;
export const oldestFirst = { createdat: 1, _id: 1 } as const;
const anyText = { $gt: "" } as const;
const owedByCustomer = {
  key: { businessid: 1, "customer.id": 1, ...oldestFirst },
  name: "owed-by-customer",
  partialFilterExpression: isOwed,
} as const;
const owedBySubscription = {
  key: { businessid: 1, "issuedfor.subscriptionid": 1, ...oldestFirst },
  name: "owed-for-subscription",
  partialFilterExpression: { "issuedfor.subscriptionid": anyText, ...isOwed },
} as const;

/** One invoice for one reason. */
const issuedOnce = {
  key: { businessid: 1, issuekey: 1 },
  name: "issued-once",
  unique: true,
  partialFilterExpression: { issuekey: anyText },
} as const;

/** The one that was issued for it. */
export async function findIssued(
  { invoices }: { readonly invoices: Invoices },
  businessid: string,
  key: IssueKey,
): Promise<Invoice | null> {
  const issuekey = { $eq: textOfKey(key), $gt: "" };
  const [found] = await invoices.some(businessid, { issuekey }, { sort: oldestFirst, limit: 1 });
  return found ?? null;
}

const parkedSince = "duefailed.parkedat";

/** Those that could not be turned overdue. */
export function parkedInvoices({ collection }: Invoices): ParkedPlace {
  return {
    collection,
    since: parkedSince,
    view: ({ duefailed: { reason, tries, parkedat } }) => ({ reason, tries, at: parkedat }),
    revive: (now) => ({ dueat: now, duefailed: null }),
  };
}

export function openInvoices(service: Service): Promise<Invoices> {
  return openRecords<Invoice>(
    service,
    "invoices",
    [
      newestFirst,
      byStatus,
      byCustomer,
      owedByCustomer,
      owedBySubscription,
      issuedOnce,
      dueIndex,
      parkedIndexOf(parkedSince, "parked"),
    ],
    (ids, fields) => invoiceOf(ids, fields),
    ({ invoiceno, title, description }) => ({
      texts: [invoiceno, runningPart(invoiceno), title, description],
    }),
    invoiceNumbers,
  );
}

/** As it was saved by `reckon`; what is a brand to the compiler is checked once more. */
function invoiceOf(ids: { id: string; businessid: string }, fields: Document): Invoice {
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
