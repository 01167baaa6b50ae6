import { z } from "zod";
import { call } from "../definition/call.ts";
import { objectId, timestamp } from "../definition/fields.ts";
import { processDueCall } from "../operations/process-due.ts";
import { excused } from "./invoice-events.ts";
import { invoiceStatuses } from "./invoice-fields.ts";
import { linkStatuses } from "./invoice-routes.ts";
import { issueRequest, issueKey } from "./issue.ts";

const status = z.enum(invoiceStatuses);
/** An invoice has one pay link. The link's id is the invoice's id. */
const payLink = z.object({ _id: objectId, code: z.string() });

/** The largest number of records that one reconciliation call asks for. */
const reconciledMax = 500;

const foundInvoice = z.object({
  _id: objectId,
  status,
  duedate: timestamp,
  excused,
  /** The sequence number of its newest event. */
  seq: z.int(),
});

const issuedInvoice = z.object({
  _id: objectId,
  invoiceno: z.string(),
  status,
  balance: z.number(),
  duedate: timestamp,
  link: payLink,
  /** The full address of its pay link. */
  paymentlink: z.string(),
});

/** The amount, in shillings, that a payment code asks a customer to pay. */
const payable = z.object({
  invoiceid: objectId,
  invoiceno: z.string(),
  title: z.string(),
  businessid: objectId,
  customer: z.object({ _id: objectId, name: z.string(), phone: z.string().nullable() }),
  link: payLink.extend({ status: z.enum(linkStatuses) }),
  status,
  owed: z.number(),
  /** The part of the balance that open prompts may still pay. */
  reserved: z.number(),
  /** The newest transactions that `owed` already subtracts. An older release leaves it out. */
  counted: z.array(objectId).optional(),
  partpayment: z.boolean(),
  payable: z.boolean(),
  /** Why it is not payable. */
  reason: z.string().nullable(),
  subscriptionid: objectId.nullable(),
  duedate: timestamp,
});

export type Payable = z.infer<typeof payable>;

const owedInvoice = z.object({
  invoiceid: objectId,
  invoiceno: z.string(),
  title: z.string(),
  status,
  owed: z.number(),
  reserved: z.number(),
  duedate: timestamp,
  createdat: timestamp,
  issuedfor: issueKey.nullable(),
  excused,
  link: payLink,
});

/** The open amount after the customer's credit was used. */
const amountOwed = z.object({
  owed: z.number(),
  overdue: z.boolean(),
  /** An open prompt may still pay a part of it. */
  beingpaid: z.boolean(),
  /** Oldest first, at most 100. The sums cover these invoices. */
  invoices: z.array(owedInvoice),
  more: z.boolean(),
});

export type AmountOwed = z.infer<typeof amountOwed>;

/** The reason of a payable that unspent credit will pay, but has not paid yet. */
export const coveredByCredit = "Invoice is about to be paid with credit";

export const invoiceCalls = {
  /** Issues one invoice per key. A repeated call answers with the same invoice in its present state. */
  issueInvoice: call({
    service: "invoice",
    verb: "issue-invoice",
    callers: ["subscription"],
    effect: "writes",
    body: issueRequest,
    data: issuedInvoice,
    faultCodes: ["not_found"],
  }),
  /** Answers a conflict if the invoice is paid or being paid. Succeeds if it is already cancelled. */
  cancelInvoice: call({
    service: "invoice",
    verb: "cancel-invoice",
    callers: ["subscription"],
    effect: "writes",
    body: z.object({ invoiceid: objectId }),
    data: z.object({ invoiceid: objectId, status }),
    faultCodes: ["not_found", "conflict"],
  }),
  /** Finds the invoice by its link's code in any business, or by id or key in the business of the request. */
  describePayable: call({
    service: "invoice",
    verb: "describe-payable",
    callers: ["payment", "subscription"],
    effect: "reads",
    body: z.union([
      z.object({ code: z.string() }),
      z.object({ invoiceid: objectId }),
      z.object({ key: issueKey }),
    ]),
    data: payable,
    faultCodes: ["not_found"],
  }),
  describeOwedByCustomer: call({
    service: "invoice",
    verb: "owed-by-customer",
    callers: [],
    effect: "reads",
    body: z.object({ customerid: objectId }),
    data: amountOwed,
  }),
  describeOwedBySubscription: call({
    service: "invoice",
    verb: "owed-by-subscription",
    callers: ["subscription"],
    effect: "reads",
    body: z.object({ subscriptionid: objectId }),
    data: amountOwed,
  }),
  /** Finds the invoices of these bills, in the same order; null for a bill without an invoice. */
  findIssuedInvoices: call({
    service: "invoice",
    verb: "find-issued",
    callers: ["subscription"],
    effect: "reads",
    body: z.object({
      bills: z.array(issueKey.extend({ businessid: objectId })).max(reconciledMax),
    }),
    data: z.object({ invoices: z.array(foundInvoice.nullable()) }),
  }),
  /** Reports for each payment whether it is recorded on its invoice or as credit, in the same order. */
  findAppliedPayments: call({
    service: "invoice",
    verb: "find-payments",
    callers: ["payment"],
    effect: "reads",
    body: z.object({
      payments: z
        .array(z.object({ businessid: objectId, invoiceid: objectId, transactionid: objectId }))
        .max(reconciledMax),
    }),
    data: z.object({ known: z.array(z.boolean()) }),
  }),
  processOverdueInvoices: processDueCall("invoice", "work-off-overdue"),
} as const;
