import { z } from "zod";
import { call } from "../definition/call.ts";
import { objectId } from "../definition/fields.ts";
import { processDueCall } from "../operations/process-due.ts";
import { subscriptionStatus } from "./subscription-fields.ts";

export const subscriptionCalls = {
  /** Describes a subscription's pay link, which collects the oldest open invoice. */
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
      /** Null if no invoice is open. */
      invoiceid: objectId.nullable(),
    }),
    faultCodes: ["not_found"],
  }),
  /** Checks that each billed period has its invoice. */
  reconcileBillings: processDueCall("subscription", "compare-billings"),
  processDueSubscriptions: processDueCall("subscription", "work-off-due"),
} as const;
