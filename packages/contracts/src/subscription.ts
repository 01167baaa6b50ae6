import { z } from "zod";
import { call } from "./call.ts";
import { event } from "./event.ts";
import { objectId, timestamp } from "./fields.ts";
import { issuedFor } from "./invoice-events.ts";
import { billingcycle, subscriptionStatus } from "./subscription-fields.ts";
import { workOffCall } from "./work-off.ts";

/** A line as the subscription has it; products were looked up when it was made. */
const billedItem = z.object({
  itemid: objectId,
  title: z.string(),
  quantity: z.int().min(1),
  rate: z.number().min(0),
});

/** What an invoice is issued from: one under its key, however often it is asked for. */
export const billing = z.object({
  key: issuedFor,
  customerid: objectId,
  title: z.string(),
  items: z.array(billedItem).min(1).max(200),
  duedate: timestamp,
});

/** What a subscription's events tell; `reason` says why it came to this, where there is a choice. */
const eventData = z.object({
  subscriptionid: objectId,
  subscriptionno: z.string(),
  title: z.string(),
  status: subscriptionStatus,
  amount: z.number(),
  billingcycle,
  autorenew: z.boolean(),
  customerid: objectId,
  nextbillingdate: timestamp.nullable(),
  reason: z.string().nullable(),
});

const subscriptionEvent = event({ audience: "public", data: eventData });

export const subscriptionEvents = {
  "subscription.created": subscriptionEvent,
  "subscription.activated": subscriptionEvent,
  "subscription.renewed": subscriptionEvent,
  "subscription.pending": subscriptionEvent,
  "subscription.paused": subscriptionEvent,
  "subscription.resumed": subscriptionEvent,
  "subscription.cancelled": subscriptionEvent,
  "subscription.expired": subscriptionEvent,
  /** A period is billed. The invoice's date is the event's own moment. */
  "subscription.billed": event({ audience: "internal", data: billing }),
} as const;

export const subscriptionCalls = {
  /** What a subscription's link collects: its oldest open invoice. */
  describeSubscriptionLink: call({
    service: "subscription",
    verb: "describe-link",
    askedBy: ["payment"],
    effect: "reads",
    body: z.object({ code: z.string().max(40) }),
    data: z.object({
      subscriptionid: objectId,
      businessid: objectId,
      customerid: objectId,
      title: z.string(),
      status: subscriptionStatus,
      /** Null when nothing is open. */
      invoiceid: objectId.nullable(),
    }),
    refusals: ["not_found"],
  }),
  /** Whether what was billed has its invoices. */
  compareBillings: workOffCall("subscription", "compare-billings"),
  workOffDueSubscriptions: workOffCall("subscription", "work-off-due"),
} as const;
