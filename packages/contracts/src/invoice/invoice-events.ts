import { z } from "zod";
import { event } from "../definition/event.ts";
import { objectId, timestamp } from "../definition/fields.ts";
import { invoiceStatuses } from "./invoice-fields.ts";
import { issuedFor } from "./issue.ts";

const eventData = z.object({
  _id: objectId,
  invoiceno: z.string(),
  status: z.enum(invoiceStatuses),
  balance: z.number(),
  customer: z.object({ _id: objectId, name: z.string() }),
  duedate: timestamp,
});

export type InvoiceEventData = z.infer<typeof eventData>;

/** True if a person has set an overdue invoice back: its due date no longer makes it overdue. Left out if not. */
export const excused = z.boolean().optional();

const eventInside = z.object({
  title: z.string(),
  total: z.number(),
  /** The link's status follows from the invoice's. */
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
