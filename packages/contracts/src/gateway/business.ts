import { z } from "zod";
import { call } from "../definition/call.ts";
import { event } from "../definition/event.ts";
import { objectId, timestamp, title } from "../definition/fields.ts";
import { pageQuery } from "../definition/paging.ts";
import { route } from "../definition/route.ts";
import { settingsChange, settingsView } from "./settings.ts";

export const businessPlans = ["free", "starter", "professional", "enterprise"] as const;
const plan = z.enum(businessPlans);
export type BusinessPlan = z.infer<typeof plan>;

/** Requests per second, minute and day. An enterprise may have its own, which replace the plan's. */
const rateLimits = z.object({
  second: z.int().min(1).max(1_000_000),
  minute: z.int().min(1).max(100_000_000),
  day: z.int().min(1).max(1_000_000_000),
});

export type RateLimits = z.infer<typeof rateLimits>;

/** A plan. Only an enterprise may add its own limits. */
const terms = z.object({ plan, limits: rateLimits.optional() });

function hasLimitsOfItsPlan({ plan, limits }: z.output<typeof terms>): boolean {
  return !limits || plan === "enterprise";
}

const invalidLimits = { path: ["limits"], error: "are set for the enterprise plan only" };

const businessView = z.object({
  _id: objectId,
  name: z.string(),
  plan,
  limits: rateLimits.nullable(),
  status: z.enum(["active", "suspended"]),
  settings: settingsView,
  createdat: timestamp,
  updatedat: timestamp,
});

export type BusinessView = z.infer<typeof businessView>;

const businessDetails = businessView.extend({
  /** When the business created its first product. It shows an operator that the business has started. */
  firstproductat: timestamp.nullable(),
});

const operatorRoute = { audience: "operator", service: "gateway", rateClass: "none" } as const;
const businessParams = { id: "business" } as const;

export const businessRoutes = {
  createBusiness: route({
    ...operatorRoute,
    verb: "create-business",
    method: "POST",
    path: "/operator/business/create",
    summary: "Create a business",
    body: terms.extend({ name: title }).refine(hasLimitsOfItsPlan, invalidLimits),
    reply: { status: 201, message: "Business created successfully", data: businessView },
  }),
  listBusinesses: route({
    ...operatorRoute,
    verb: "list-businesses",
    method: "GET",
    path: "/operator/business/list",
    summary: "List businesses, newest first",
    query: pageQuery,
    reply: { status: 200, data: z.array(businessView), paging: "meta" },
  }),
  getBusiness: route({
    ...operatorRoute,
    verb: "get-business",
    method: "GET",
    path: "/operator/business/details/:id",
    summary: "One business",
    params: businessParams,
    reply: { status: 200, data: businessDetails },
  }),
  suspendBusiness: route({
    ...operatorRoute,
    verb: "suspend-business",
    method: "POST",
    path: "/operator/business/suspend/:id",
    summary: "Suspend a business: its requests get 403 until it is resumed",
    params: businessParams,
    faultCodes: ["conflict"],
    reply: { status: 200, message: "Business suspended successfully", data: businessView },
  }),
  resumeBusiness: route({
    ...operatorRoute,
    verb: "resume-business",
    method: "POST",
    path: "/operator/business/resume/:id",
    summary: "Resume a suspended business",
    params: businessParams,
    faultCodes: ["conflict"],
    reply: { status: 200, message: "Business resumed successfully", data: businessView },
  }),
  setBusinessPlan: route({
    ...operatorRoute,
    verb: "set-plan",
    method: "POST",
    path: "/operator/business/set-plan/:id",
    summary: "Put a business on a plan, an enterprise with limits of its own",
    params: businessParams,
    body: terms.refine(hasLimitsOfItsPlan, invalidLimits),
    reply: { status: 200, message: "Plan set successfully", data: businessView },
  }),
  setBusinessSettings: route({
    ...operatorRoute,
    verb: "set-business",
    method: "PATCH",
    path: "/operator/business/set/:id",
    summary: "Change a business's settings; only what is sent changes",
    params: businessParams,
    body: settingsChange,
    reply: { status: 200, message: "Settings updated successfully", data: businessView },
  }),
} as const;

export const businessCalls = {
  describeBusiness: call({
    service: "gateway",
    verb: "describe-business",
    callers: ["invoice", "payment", "subscription"],
    effect: "reads",
    body: z.object({ businessid: objectId }),
    data: z.object({ seq: z.int(), business: businessView }),
    faultCodes: ["not_found"],
  }),
} as const;

export const businessEvents = {
  "business.created": event({ audience: "internal", data: businessView }),
  "business.updated": event({ audience: "internal", data: businessView }),
  "business.suspended": event({ audience: "internal", data: businessView }),
  "business.resumed": event({ audience: "internal", data: businessView }),
} as const;
