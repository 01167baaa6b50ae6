import { z } from "zod";
import { call } from "../definition/call.ts";
import { objectId } from "../definition/fields.ts";
import { processDueCall } from "../operations/process-due.ts";
import { subscriptionStatus } from "./subscription-fields.ts";

export const subscriptionCalls = {
  /** What a subscription's link collects: its oldest open invoice. */
  describeSubscriptionLink: call({
    service: "subscription",
    verb: "describe-link",
    callers: ["payment"],
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
    faultCodes: ["not_found"],
  }),
  /** Whether what was billed has its invoices. */
  reconcileBillings: processDueCall("subscription", "compare-billings"),
  processDueSubscriptions: processDueCall("subscription", "work-off-due"),
} as const;
