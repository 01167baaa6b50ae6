import { z } from "zod";
import { objectId, timestamp, title } from "./fields.ts";
import { route } from "./route.ts";

export const plans = ["free", "starter", "professional", "enterprise"] as const;
export const plan = z.enum(plans);
export type Plan = z.infer<typeof plan>;

/** Requests per second, minute and day; an enterprise's own, in place of all others. */
export const limits = z.object({
  second: z.int().min(1).max(1_000_000),
  minute: z.int().min(1).max(100_000_000),
  day: z.int().min(1).max(1_000_000_000),
});

export type Limits = z.infer<typeof limits>;

const businessView = z.object({
  _id: objectId,
  name: z.string(),
  plan,
  limits: limits.nullable(),
  status: z.enum(["active", "suspended"]),
  /** When the business made its first product: how an operator sees that it got going. */
  firstproductat: timestamp.nullable(),
  createdat: timestamp,
  updatedat: timestamp,
});

export type BusinessView = z.infer<typeof businessView>;

const issuedKey = z.object({
  _id: objectId,
  businessid: objectId,
  /** Shown here and never again: only its hash is kept. */
  secret: z.string(),
  createdat: timestamp,
});

export type IssuedKey = z.infer<typeof issuedKey>;

export const businessRoutes = {
  createBusiness: route({
    audience: "operator",
    service: "gateway",
    verb: "create-business",
    method: "POST",
    path: "/operator/business/create",
    summary: "Create a business",
    rateClass: "none",
    body: z
      .object({ name: title, plan, limits: limits.optional() })
      .refine(({ plan, limits }) => !limits || plan === "enterprise", {
        path: ["limits"],
        error: "are set for the enterprise plan only",
      }),
    reply: { status: 201, message: "Business created successfully", data: businessView },
  }),
  getBusiness: route({
    audience: "operator",
    service: "gateway",
    verb: "get-business",
    method: "GET",
    path: "/operator/business/details/:id",
    summary: "One business",
    rateClass: "none",
    params: { id: "business" },
    reply: { status: 200, data: businessView },
  }),
  issueKey: route({
    audience: "operator",
    service: "gateway",
    verb: "issue-key",
    method: "POST",
    path: "/operator/key/issue/:id",
    summary: "Issue a secret for a business",
    rateClass: "none",
    params: { id: "business" },
    reply: { status: 201, message: "Key issued successfully", data: issuedKey },
  }),
} as const;
