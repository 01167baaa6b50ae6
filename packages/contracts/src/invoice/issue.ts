import { z } from "zod";
import { objectId, timestamp } from "../definition/fields.ts";

/** Why a subscription is billed: a period began, a renewal is offered, or the business requested it. */
export const issueReasons = ["cycle", "renewal", "manual"] as const;

/** Identifies one invoice. `of` is the start of the period, or the number of the manual request. */
export const issueKey = z.object({
  subscriptionid: objectId,
  why: z.enum(issueReasons),
  of: z.string().min(1).max(40),
});

export type IssueKey = z.infer<typeof issueKey>;

/** The key of an issued invoice. If `awaited` is false, the subscription needs no `invoice.created`, only later changes. */
export const issuedFor = issueKey.extend({ awaited: z.boolean().optional() });

export type IssuedFor = z.infer<typeof issuedFor>;

/** A line of the subscription. Its product was looked up when the line was created. */
const billedItem = z.object({
  itemid: objectId,
  title: z.string(),
  quantity: z.int().min(1),
  rate: z.number().min(0),
});

/** The data from which an invoice is issued. Repeated requests with one key give one invoice. */
export const issueRequest = z.object({
  key: issuedFor,
  customerid: objectId,
  title: z.string(),
  items: z.array(billedItem).min(1).max(200),
  duedate: timestamp,
});
