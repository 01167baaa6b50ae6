import type { BusinessView, Limits, Plan } from "@malipo/contracts";

export interface Business {
  readonly id: string;
  readonly name: string;
  readonly plan: Plan;
  /** Of the business's own, in place of its plan's. */
  readonly limits: Limits | null;
  readonly status: "active" | "suspended";
  readonly firstproductat: Date | null;
  readonly createdat: Date;
  readonly updatedat: Date;
}

export interface BusinessDraft {
  readonly name: string;
  readonly plan: Plan;
  readonly limits?: Limits | undefined;
}

export function newBusiness(id: string, draft: BusinessDraft, now: Date): Business {
  return {
    id,
    name: draft.name,
    plan: draft.plan,
    limits: draft.limits ?? null,
    status: "active",
    firstproductat: null,
    createdat: now,
    updatedat: now,
  };
}

export function viewBusiness(business: Business): BusinessView {
  return {
    _id: business.id,
    name: business.name,
    plan: business.plan,
    limits: business.limits,
    status: business.status,
    firstproductat: business.firstproductat?.toISOString() ?? null,
    createdat: business.createdat.toISOString(),
    updatedat: business.updatedat.toISOString(),
  };
}
