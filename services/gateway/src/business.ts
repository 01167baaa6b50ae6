import type { BusinessView, Plan } from "@malipo/contracts";

export interface Business {
  readonly id: string;
  readonly name: string;
  readonly plan: Plan;
  readonly status: "active" | "suspended";
  readonly firstproductat: Date | null;
  readonly createdat: Date;
  readonly updatedat: Date;
}

export function newBusiness(id: string, name: string, plan: Plan, now: Date): Business {
  return { id, name, plan, status: "active", firstproductat: null, createdat: now, updatedat: now };
}

export function viewBusiness(business: Business): BusinessView {
  return {
    _id: business.id,
    name: business.name,
    plan: business.plan,
    status: business.status,
    firstproductat: business.firstproductat?.toISOString() ?? null,
    createdat: business.createdat.toISOString(),
    updatedat: business.updatedat.toISOString(),
  };
}
