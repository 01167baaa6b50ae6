import { err, type Fault, fault, ok, type Result } from "@malipo/core";
import type { Deps } from "../deps.ts";
import { advance } from "../domain/lifecycle/advance.ts";
import { expire, refuseExpiry } from "../domain/lifecycle/expiry.ts";
import { billingContextOf, type Change, unchanged } from "../domain/lifecycle/change.ts";
import { nextTransition } from "../domain/lifecycle/schedule.ts";
import type { Subscription } from "../domain/lifecycle/subscription.ts";
import type { StoredSubscription } from "../store/subscriptions.ts";
import { cancelOpen, fetchOwed, identifyIssued, notIssued } from "./invoice-calls.ts";

/** Each step bills at most 12 missed periods, so this is more than a year of weeks. */
const stepsMax = 12;

/** Applies everything that is due, also if the schedule postponed it, and asks the invoice service. */
export async function bringUpToDate(
  deps: Deps,
  found: StoredSubscription,
  now: Date,
  deadline: Date,
): Promise<Result<StoredSubscription, Fault>> {
  const { subscriptions, businesses } = deps;
  let saved = found;

  async function save(change: Change): Promise<void> {
    if (change.entity === saved.entity) return;
    await subscriptions.save(saved, change, { now });
    const { businessid, id } = saved.entity;
    const current = await subscriptions.find(businessid, id);
    if (!current) throw new Error(`subscription ${id} does not exist`);
    saved = current;
  }

  for (let steps = 0; steps < stepsMax; steps += 1) {
    if (!isDue(saved.entity, now)) return ok(saved);
    const business = await businesses.get(saved.entity.businessid);
    if (!business.ok) return business;
    const context = billingContextOf(business.value, saved.entity, { now, hours: deps.hours });
    let advanced = advance(saved.entity, context);
    if (advanced.nextStep === "fetch-owed") {
      // Periods before the question are billed even if the invoice service does not answer.
      await save(advanced);
      const owed = await fetchOwed(deps, saved.entity, deadline);
      if (!owed.ok) return owed;
      advanced = advance(saved.entity, { ...context, owed: owed.value });
    }
    await save(advanced);
    if (advanced.nextStep === "nothing") return ok(saved);
    if (advanced.nextStep === "another-step") continue;
    const identified = await identifyIssued(deps, saved.entity, deadline);
    if (!identified.ok) return identified;
    if (advanced.nextStep === "await-issue" && identified.value === saved.entity) {
      return err(notIssued);
    }
    await save(unchanged(identified.value));
    if (advanced.nextStep === "cancel-invoices") {
      const reasons = ["cycle", "renewal", "manual"] as const;
      const cancelled = await cancelOpen(deps, saved.entity, reasons, deadline);
      if (!cancelled.ok) return cancelled;
      const { refused } = cancelled.value;
      await save(refused ? refuseExpiry(saved.entity, refused, now) : expire(saved.entity, now));
    }
  }
  return err(fault("service_unavailable", { logText: "more transitions are due" }));
}

function isDue(subscription: Subscription, now: Date): boolean {
  const next = nextTransition(subscription);
  return subscription.expiringSince !== null || (next !== null && next.at <= now);
}
