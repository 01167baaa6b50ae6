import type { SubscriptionPlanSummary, SubscriptionPlanView } from "@malipo/contracts";
import {
  type BillingCycle,
  type Cents,
  err,
  type Fault,
  fault,
  centsToShillings,
  ok,
  type Result,
} from "@malipo/core";
import { type Item, totalOf, viewItem } from "./item.ts";

export interface Plan {
  readonly id: string;
  readonly businessid: string;
  readonly title: string;
  /** The title in lower case, for sorting. */
  readonly sorttitle: string;
  readonly amount: Cents;
  readonly billingcycle: BillingCycle;
  readonly trialdays: number;
  readonly items: readonly Item[];
  readonly status: "active" | "retired" | "deleted";
  readonly createdat: Date;
  readonly updatedat: Date;
}

export interface PlanDraft {
  readonly title: string;
  readonly billingcycle: BillingCycle;
  readonly trialdays: number;
  readonly items: readonly Item[];
}

/** A field that is absent keeps its value. */
export type PlanChange = { readonly [field in keyof PlanDraft]?: PlanDraft[field] | undefined };

export function buildPlan(id: string, businessid: string, draft: PlanDraft, now: Date): Plan {
  return {
    id,
    businessid,
    ...draft,
    sorttitle: draft.title.toLowerCase(),
    amount: totalOf(draft.items),
    status: "active",
    createdat: now,
    updatedat: now,
  };
}

export function changePlan(plan: Plan, change: PlanChange, now: Date): Result<Plan, Fault> {
  if (plan.status !== "active") return err(planRetired);
  const { id, businessid, createdat } = plan;
  const draft = {
    title: change.title ?? plan.title,
    billingcycle: change.billingcycle ?? plan.billingcycle,
    trialdays: change.trialdays ?? plan.trialdays,
    items: change.items ?? plan.items,
  };
  return ok({ ...buildPlan(id, businessid, draft, now), createdat });
}

export const planRetired = fault("conflict", { text: "Subscription plan is retired" });

/** A plan in use stays readable. Its subscriptions continue and still name it. */
export function retirePlan(plan: Plan, isUsed: boolean, now: Date): Plan {
  return { ...plan, status: isUsed ? "retired" : "deleted", updatedat: now };
}

export function viewPlan({ items, ...plan }: Plan): SubscriptionPlanView {
  return { ...summarizePlan(plan), items: items.map(viewItem) };
}

/** A list shows no items: with 200 each, a page of plans would not fit into an answer. */
export function summarizePlan(plan: Omit<Plan, "items">): SubscriptionPlanSummary {
  return {
    _id: plan.id,
    title: plan.title,
    amount: centsToShillings(plan.amount),
    billingcycle: plan.billingcycle,
    trialdays: plan.trialdays,
    status: plan.status === "active" ? "active" : "retired",
    createdat: plan.createdat.toISOString(),
    updatedat: plan.updatedat.toISOString(),
  };
}
