import { z } from "zod";
import { call } from "../definition/call.ts";
import { objectId, timestamp } from "../definition/fields.ts";
import { processDueCall } from "../operations/process-due.ts";
import { excused } from "./invoice-events.ts";
import { invoiceStatuses } from "./invoice-fields.ts";
import { linkStatuses } from "./invoice-routes.ts";
import { issueRequest, issueKey } from "./issue.ts";

const status = z.enum(invoiceStatuses);
/** An invoice has one link, whose id is the invoice's own. */
const link = z.object({ _id: objectId, code: z.string() });

/** Questions in one comparison. */
const askedMax = 500;

const foundInvoice = z.object({
  _id: objectId,
  status,
  duedate: timestamp,
  excused,
  /** The number of its newest event. */
  seq: z.int(),
});

const issuedInvoice = z.object({
  _id: objectId,
  invoiceno: z.string(),
  status,
  balance: z.number(),
  duedate: timestamp,
  link,
  /** The full address of its pay link. */
  paymentlink: z.string(),
});

/** What may be asked for, in shillings, and by whom. */
const payable = z.object({
  invoiceid: objectId,
  invoiceno: z.string(),
  title: z.string(),
  businessid: objectId,
  customer: z.object({ _id: objectId, name: z.string(), phone: z.string().nullable() }),
  link: link.extend({ status: z.enum(linkStatuses) }),
  status,
  owed: z.number(),
  /** What live prompts have spoken for. */
  reserved: z.number(),
  /** The newest transactions that have been taken off what is owed; an older release tells none. */
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
  link,
});

/** Credit has been used by then: this is what is still asked for. */
const owed = z.object({
  owed: z.number(),
  overdue: z.boolean(),
  /** A live prompt has spoken for some of it. */
  beingpaid: z.boolean(),
  /** The oldest first, a hundred at most; the sums are of these. */
  invoices: z.array(owedInvoice),
  more: z.boolean(),
});

export type AmountOwed = z.infer<typeof owed>;

export const invoiceCalls = {
  /** One invoice for one key: asked for again it answers with the same, as it is now. */
  issueInvoice: call({
    service: "invoice",
    verb: "issue-invoice",
    callers: ["subscription"],
    effect: "writes",
    body: issueRequest,
    data: issuedInvoice,
    faultCodes: ["not_found"],
  }),
  /** Refused when it is paid or being paid; done when it is cancelled already. */
  cancelInvoice: call({
    service: "invoice",
    verb: "cancel-invoice",
    callers: ["subscription"],
    effect: "writes",
    body: z.object({ invoiceid: objectId }),
    data: z.object({ invoiceid: objectId, status }),
    faultCodes: ["not_found", "conflict"],
  }),
  /** By the code of its link, whoever asks, or in the asker's own business by its id or its key. */
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
    data: owed,
  }),
  describeOwedBySubscription: call({
    service: "invoice",
    verb: "owed-by-subscription",
    callers: ["subscription"],
    effect: "reads",
    body: z.object({ subscriptionid: objectId }),
    data: owed,
  }),
  /** What was made of these bills, each in its place; null where there is no invoice. */
  findIssuedInvoices: call({
    service: "invoice",
    verb: "find-issued",
    callers: ["subscription"],
    effect: "reads",
    body: z.object({ bills: z.array(issueKey.extend({ businessid: objectId })).max(askedMax) }),
    data: z.object({ invoices: z.array(foundInvoice.nullable()) }),
  }),
  /** Whether each of these payments stands on its invoice, or is credit. */
  findAppliedPayments: call({
    service: "invoice",
    verb: "find-payments",
    callers: ["payment"],
    effect: "reads",
    body: z.object({
      payments: z
        .array(z.object({ businessid: objectId, invoiceid: objectId, transactionid: objectId }))
        .max(askedMax),
    }),
    data: z.object({ known: z.array(z.boolean()) }),
  }),
  processOverdueInvoices: processDueCall("invoice", "work-off-overdue"),
} as const;
