import { z } from "zod";
import { event } from "../definition/event.ts";
import { objectId, timestamp } from "../definition/fields.ts";
import { issueRequest } from "../invoice/issue.ts";
import { billingcycle, subscriptionStatus } from "./subscription-fields.ts";

/** The data of a subscription's events. `reason` says why it happened, if there are several reasons. */
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
  /** A period is billed. The time of the event is the invoice's date. */
  "subscription.billed": event({ audience: "internal", data: issueRequest }),
} as const;
