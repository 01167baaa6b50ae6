import { z } from "zod";
import { objectId, timestamp } from "../definition/fields.ts";

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

/** A line as the subscription has it; products were looked up when it was made. */
const billedItem = z.object({
  itemid: objectId,
  title: z.string(),
  quantity: z.int().min(1),
  rate: z.number().min(0),
});

/** What an invoice is issued from: one under its key, however often it is asked for. */
export const issueRequest = z.object({
  key: issuedFor,
  customerid: objectId,
  title: z.string(),
  items: z.array(billedItem).min(1).max(200),
  duedate: timestamp,
});
