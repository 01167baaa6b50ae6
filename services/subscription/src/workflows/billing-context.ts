import type { BusinessView } from "@malipo/contracts";
import type { BillingCycle, Fault, Result } from "@malipo/core";
import type { Look } from "../domain/lifecycle/change.ts";
import type { Deps } from "../deps.ts";
import type { Subscription } from "../domain/lifecycle/subscription.ts";

export function duedaysOf({ settings }: BusinessView, cycle: BillingCycle): number {
  return cycle === "weekly" ? settings.duedaysweekly : settings.duedays;
}

export function lookOf(
  { hours }: Pick<Deps, "hours">,
  business: BusinessView,
  { billingcycle }: Subscription,
  now: Date,
): Look {
  return { now, hours, duedays: duedaysOf(business, billingcycle) };
}

/** What the businesses of one batch have decided: each is asked for once. */
export function businessesOf({ businesses }: Pick<Deps, "businesses">) {
  const known = new Map<string, Promise<Result<BusinessView, Fault>>>();
  return (businessid: string): Promise<Result<BusinessView, Fault>> => {
    const asked = known.get(businessid) ?? businesses.get(businessid);
    known.set(businessid, asked);
    return asked;
  };
}
