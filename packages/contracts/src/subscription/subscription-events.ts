import { z } from "zod";
import { event } from "../definition/event.ts";
import { objectId, timestamp } from "../definition/fields.ts";
import { issueRequest } from "../invoice/issue.ts";
import { billingcycle, subscriptionStatus } from "./subscription-fields.ts";

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
  "subscription.billed": event({ audience: "internal", data: issueRequest }),
} as const;
