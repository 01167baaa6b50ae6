import { z } from "zod";
import { event } from "./event.ts";
import { objectId, timestamp } from "./fields.ts";
import { invoiceStatuses } from "./invoice-fields.ts";

/** Why a subscription is billed: a period, a renewal offered, or somebody's request. */
export const issueReasons = ["cycle", "renewal", "manual"] as const;

/** One invoice per key. `of` is the start of the period, or the number of the request. */
export const issueKey = z.object({
  subscriptionid: objectId,
  why: z.enum(issueReasons),
  of: z.string().min(1).max(40),
});

export type IssueKey = z.infer<typeof issueKey>;

/** What an invoice is issued for. Nobody has to hear of one that is not awaited before it changes. */
export const issuedFor = issueKey.extend({ awaited: z.boolean().optional() });

export type IssuedFor = z.infer<typeof issuedFor>;

const eventData = z.object({
  _id: objectId,
  invoiceno: z.string(),
  status: z.enum(invoiceStatuses),
  balance: z.number(),
  customer: z.object({ _id: objectId, name: z.string() }),
  duedate: timestamp,
});

export type InvoiceEventData = z.infer<typeof eventData>;

/** Somebody has set it not to be overdue, and its due date is judged no more; left out if it is not so. */
export const excused = z.boolean().optional();

const eventInside = z.object({
  title: z.string(),
  total: z.number(),
  /** Its status follows from the invoice's. */
  paylink: z.object({ _id: objectId, code: z.string() }),
  issuedfor: issuedFor.nullable(),
  excused,
  createdat: timestamp,
});

export type InvoiceEventInside = z.infer<typeof eventInside>;

const invoiceEvent = event({ audience: "public", data: eventData, inside: eventInside });

export const invoiceEvents = {
  "invoice.created": invoiceEvent,
  "invoice.updated": invoiceEvent,
  "invoice.paid": invoiceEvent,
  "invoice.partially_paid": invoiceEvent,
  "invoice.overdue": invoiceEvent,
} as const;

const wholeCents = z.int().min(1);

/** The invoice service's own words to itself: money moves from an invoice to credit, and on. */
export const creditEvents = {
  /** What of these payments is credit now, in all. */
  "credit.granted": event({
    audience: "internal",
    data: z.object({
      invoiceid: objectId,
      customerid: objectId,
      grants: z.array(z.object({ creditid: objectId, cents: wholeCents })),
    }),
  }),
  /** The credit has named an invoice, which is paid with it under this key. */
  "credit.used": event({
    audience: "internal",
    data: z.object({
      customerid: objectId,
      invoiceid: objectId,
      key: z.string(),
      cents: wholeCents,
    }),
  }),
} as const;
