import { billingCycles } from "@malipo/core";
import { z } from "zod";
import { objectId, recordTimes, title } from "../definition/fields.ts";
import { noContent } from "../definition/operation.ts";
import { offsetPaging } from "../definition/paging.ts";
import { route } from "../definition/route.ts";
import {
  billingcycle,
  itemWithAmount,
  subscriptionFieldDocs,
  subscriptionItems,
} from "./subscription-fields.ts";

const trialdays = z
  .int()
  .min(0)
  .max(365)
  .meta({
    description: "Days of trial that a subscription made from it begins with; 0 for none.",
    examples: [14],
  });

const summary = {
  _id: objectId.meta({ description: "The plan's identifier." }),
  title: z.string().meta({ description: "What it is called.", examples: ["Internet, 10 Mbps"] }),
  amount: z.number().meta(subscriptionFieldDocs.amount),
  billingcycle,
  trialdays,
  status: z.enum(["active", "retired"]).meta({
    description: "A retired plan makes no new subscriptions; those it has made go on.",
    examples: ["active"],
  }),
};

const planSummary = z.object({ ...summary, ...recordTimes });

export type SubscriptionPlanSummary = z.infer<typeof planSummary>;

const planView = z.object({
  ...summary,
  items: z.array(itemWithAmount).meta({ description: "The lines of each period's invoice." }),
  ...recordTimes,
});

export type SubscriptionPlanView = z.infer<typeof planView>;

const wholeNumber = z.string().regex(/^\d+$/, { error: "must be a whole number, at least 0" });
const limitMax = 100;
const offsetMax = 100_000;

const sortFields = ["amount", "title", "titlee", "createdat"] as const;
const sortable = sortFields.flatMap((field) => [field, `-${field}`]);

/** The interface pages plans by limit and offset, unlike all other lists. */
const planQuery = z.object({
  limit: wholeNumber
    .transform(Number)
    .refine((limit) => limit >= 1, { error: "must be a whole number, at least 1" })
    .transform((limit) => Math.min(limit, limitMax))
    .default(10)
    .meta({ description: "How many; more than 100 count as 100.", type: "integer", default: 10 }),
  offset: wholeNumber
    .transform(Number)
    .refine((offset) => offset <= offsetMax, { error: `must be at most ${offsetMax}` })
    .default(0)
    .meta({ description: "How many are left out before them.", type: "integer", default: 0 }),
  sort_by: z
    .enum(sortable as [string, ...string[]])
    .default("createdat")
    .meta({ description: "The field to sort by; with - before it, descending." }),
});

const shared = {
  audience: "public",
  service: "subscription",
  rateClass: "plan",
  errorField: "message",
} as const;

const sharedById = { ...shared, params: { id: "subscription plan" } } as const;

export const subscriptionPlanRoutes = {
  createPlan: route({
    ...shared,
    verb: "create-plan",
    method: "POST",
    path: "/business/subscription-plan/create",
    summary: "Create a subscription plan",
    body: z.object({
      title: title.meta({ description: "What it is called.", examples: ["Internet, 10 Mbps"] }),
      items: subscriptionItems,
      billingcycle: z
        .enum(billingCycles as readonly ["weekly", "monthly", "quarterly", "yearly"])
        .default("monthly")
        .meta(subscriptionFieldDocs.billingcycle),
      trialdays: trialdays.default(0),
    }),
    faultCodes: ["not_found"],
    reply: { status: 201, message: "Subscription plan created successfully", data: planView },
  }),
  listPlans: route({
    ...shared,
    verb: "list-plans",
    method: "GET",
    path: "/business/subscription-plan/list",
    summary: "List subscription plans",
    query: planQuery,
    reply: {
      status: 200,
      data: z.array(planSummary),
      paging: "meta",
      pagingSchema: offsetPaging,
    },
  }),
  getPlan: route({
    ...sharedById,
    verb: "get-plan",
    method: "GET",
    path: "/business/subscription-plan/details/:id",
    summary: "One subscription plan",
    reply: { status: 200, data: planView },
  }),
  updatePlan: route({
    ...sharedById,
    verb: "update-plan",
    method: "PATCH",
    path: "/business/subscription-plan/update/:id",
    summary: "Change a subscription plan; subscriptions made from it before stay as they are",
    body: z.object({
      title: title.optional().meta({ description: "What it is called.", examples: ["Internet"] }),
      items: subscriptionItems.optional(),
      billingcycle: billingcycle.optional(),
      trialdays: trialdays.optional(),
    }),
    faultCodes: ["not_found", "conflict"],
    reply: { status: 200, message: "Subscription plan updated successfully", data: planView },
  }),
  deletePlan: route({
    ...sharedById,
    verb: "delete-plan",
    method: "POST",
    path: "/business/subscription-plan/delete/:id",
    summary: "Delete a subscription plan; one that is in use is retired",
    reply: { status: 200, message: "Subscription plan deleted successfully", data: noContent },
  }),
} as const;
