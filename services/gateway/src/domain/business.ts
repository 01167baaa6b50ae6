import type { BusinessView, RateLimits, NewEvent, BusinessPlan } from "@malipo/contracts";
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
  /** Its own id: a business's record belongs to itself. */
  readonly businessid: string;
  readonly name: string;
  readonly plan: BusinessPlan;
  /** Of the business's own, in place of its plan's. */
  readonly limits: RateLimits | null;
  readonly status: "active" | "suspended";
  readonly settings: Settings;
  readonly createdat: Date;
  readonly updatedat: Date;
}

export interface Terms {
  readonly plan: BusinessPlan;
  readonly limits?: RateLimits | undefined;
}

interface Change {
  readonly entity: Business;
  readonly events: readonly NewEvent[];
}

type Decision = Result<Change, Fault>;

export function newBusiness(id: string, name: string, terms: Terms, now: Date): Business {
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

export function suspend(business: Business, now: Date): Decision {
  if (business.status === "suspended") return refusedIn(business);
  return changed({ ...business, status: "suspended", updatedat: now }, "business.suspended");
}

export function resume(business: Business, now: Date): Decision {
  if (business.status === "active") return refusedIn(business);
  return changed({ ...business, status: "active", updatedat: now }, "business.resumed");
}

export function setTerms(business: Business, { plan, limits }: Terms, now: Date): Decision {
  const entity = { ...business, plan, limits: limits ?? null, updatedat: now };
  return changed(entity, "business.updated");
}

export function setSettings(business: Business, change: SettingsChange, now: Date): Decision {
  const settings = changeSettings(business.settings, change);
  return changed({ ...business, settings, updatedat: now }, "business.updated");
}

function changed(
  entity: Business,
  type: "business.updated" | "business.suspended" | "business.resumed",
): Decision {
  return ok({ entity, events: [{ type, data: viewBusiness(entity) }] });
}

function refusedIn({ status }: Business): Decision {
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
