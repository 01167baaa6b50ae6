import { z } from "zod";
import { objectId, timestamp } from "../definition/fields.ts";
import { route } from "../definition/route.ts";
import { subscriptionStatus } from "./subscription-fields.ts";

const operatorRoute = { audience: "operator", service: "subscription", rateClass: "none" } as const;

const previewedSubscription = z.object({
  subscriptionid: objectId,
  subscriptionno: z.string(),
  businessid: objectId,
  status: subscriptionStatus,
  becomes: subscriptionStatus,
  /** The starts of the periods that would be billed or offered for renewal. */
  periods: z.array(timestamp),
  amount: z.number(),
});

export const billingRoutes = {
  previewBilling: route({
    ...operatorRoute,
    verb: "preview-billing",
    method: "GET",
    path: "/operator/billing/preview",
    summary: "What would be billed until a moment, a page at a time; nothing is changed",
    query: z.object({
      at: timestamp,
      page: z
        .string()
        .regex(/^[1-9]\d{0,4}$/, { error: "must be a whole number, at least 1" })
        .transform(Number)
        .default(1),
    }),
    reply: {
      status: 200,
      data: z.object({
        subscriptions: z.array(previewedSubscription),
        /** The number of invoices on this page. */
        invoices: z.int(),
        total: z.number(),
        /** The next page; null at the end. */
        next: z.int().nullable(),
      }),
    },
  }),
  explainSubscription: route({
    ...operatorRoute,
    verb: "explain-subscription",
    method: "GET",
    path: "/operator/billing/explain/:id",
    summary: "What happened to a subscription, and what will happen next and when, in words",
    params: { id: "subscription" },
    reply: {
      status: 200,
      data: z.object({
        _id: objectId,
        subscriptionno: z.string(),
        businessid: objectId,
        status: subscriptionStatus,
        nextbillingdate: timestamp.nullable(),
        dueat: timestamp.nullable(),
        sentences: z.array(z.string()),
      }),
    },
  }),
} as const;
