import type { BusinessPlan, BusinessView, NewEvent, RateLimits } from "@malipo/contracts";
import { err, type Fault, fault, ok, type Result } from "@malipo/core";
import {
  changeSettings,
  newSettings,
  type Settings,
  type SettingsChange,
  viewSettings,
} from "./settings.ts";

export interface Business {
  readonly id: string;
  /** Equal to `id`: a business owns its own record. */
  readonly businessid: string;
  readonly name: string;
  readonly plan: BusinessPlan;
  /** Limits agreed with this business; null means those of its plan. */
  readonly limits: RateLimits | null;
  readonly status: "active" | "suspended";
  readonly settings: Settings;
  readonly createdat: Date;
  readonly updatedat: Date;
}

export interface PlanTerms {
  readonly plan: BusinessPlan;
  readonly limits?: RateLimits | undefined;
}

/** The changed business with its events, or the fault that refuses the change. */
export type BusinessDecision = Result<
  { readonly entity: Business; readonly events: readonly NewEvent[] },
  Fault
>;

export function newBusiness(id: string, name: string, terms: PlanTerms, now: Date): Business {
  return {
    id,
    businessid: id,
    name,
    plan: terms.plan,
    limits: terms.limits ?? null,
    status: "active",
    settings: newSettings(name),
    createdat: now,
    updatedat: now,
  };
}

export function businessCreated(business: Business): NewEvent {
  return { type: "business.created", data: viewBusiness(business) };
}

export function suspend(business: Business, now: Date): BusinessDecision {
  if (business.status === "suspended") return refuseInStatus(business);
  return decide({ ...business, status: "suspended", updatedat: now }, "business.suspended");
}

export function resume(business: Business, now: Date): BusinessDecision {
  if (business.status === "active") return refuseInStatus(business);
  return decide({ ...business, status: "active", updatedat: now }, "business.resumed");
}

export function setPlan(
  business: Business,
  { plan, limits }: PlanTerms,
  now: Date,
): BusinessDecision {
  const changed = { ...business, plan, limits: limits ?? null, updatedat: now };
  return decide(changed, "business.updated");
}

export function setSettings(
  business: Business,
  change: SettingsChange,
  now: Date,
): BusinessDecision {
  const settings = changeSettings(business.settings, change);
  return decide({ ...business, settings, updatedat: now }, "business.updated");
}

function decide(
  entity: Business,
  type: "business.updated" | "business.suspended" | "business.resumed",
): BusinessDecision {
  return ok({ entity, events: [{ type, data: viewBusiness(entity) }] });
}

function refuseInStatus({ status }: Business): BusinessDecision {
  return err(fault("conflict", { text: `Business is ${status}` }));
}

export function viewBusiness(business: Business): BusinessView {
  return {
    _id: business.id,
    name: business.name,
    plan: business.plan,
    limits: business.limits,
    status: business.status,
    settings: viewSettings(business.settings),
    createdat: business.createdat.toISOString(),
    updatedat: business.updatedat.toISOString(),
  };
}
