import { err, type Fault, fault, ok, type Result } from "@malipo/core";
import type { Saved } from "@malipo/platform";
import { advance, expire, refuseExpiry } from "../domain/lifecycle/advance.ts";
import { type Change, unchanged } from "../domain/lifecycle/change.ts";
import { cancelOpen, identifyIssued, notIssued, owedBy } from "./invoice-calls.ts";
import type { Deps } from "../deps.ts";
import { lookOf } from "./billing-context.ts";
import { nextMoment } from "../domain/lifecycle/scheduled-transitions.ts";
import type { Subscription } from "../domain/lifecycle/subscription.ts";

/** A year of missed weeks, and some more. */
const stepsMax = 12;

/** Applies all that is due, step by step, and asks the invoice service where that is needed. */
export async function bringUpToDate(
  deps: Deps,
  found: Saved<Subscription>,
  now: Date,
  deadline: Date,
): Promise<Result<Saved<Subscription>, Fault>> {
  const { subscriptions, businesses } = deps;
  let saved = found;

  async function save(change: Change): Promise<void> {
    if (change.entity === saved.entity) return;
    await subscriptions.save(saved, change, { now });
    const { businessid, id } = saved.entity;
    const again = await subscriptions.find(businessid, id);
    if (!again) throw new Error(`subscription ${id} is gone`);
    saved = again;
  }

  for (let steps = 0; steps < stepsMax; steps += 1) {
    const { entity } = saved;
    if (!isDue(entity, now)) return ok(saved);
    const business = await businesses.get(entity.businessid);
    if (!business.ok) return business;
    const look = lookOf(deps, business.value, entity, now);
    let advanced = advance(entity, look);
    if (advanced.want === "owed") {
      // What came before the question is billed today, whether anybody answers or not.
      await save(advanced);
      const owed = await owedBy(deps, saved.entity, deadline);
      if (!owed.ok) return owed;
      advanced = advance(saved.entity, { ...look, owed: owed.value });
    }
    await save(advanced);
    if (advanced.want === "nothing") return ok(saved);
    if (advanced.want === "another-step") continue;
    const identified = await identifyIssued(deps, saved.entity, deadline);
    if (!identified.ok) return identified;
    if (advanced.want === "issue" && identified.value === saved.entity) return err(notIssued);
    await save(unchanged(identified.value));
    if (advanced.want === "cancellation") {
      const cancelled = await cancelOpen(deps, saved.entity, () => true, deadline);
      if (!cancelled.ok) return cancelled;
      const { refused } = cancelled.value;
      await save(refused ? refuseExpiry(saved.entity, refused, now) : expire(saved.entity, now));
    }
  }
  return err(fault("service_unavailable", { detail: "there is more that is due" }));
}

/** Whatever it was put off for: who asks now, gets what is due now. */
function isDue(subscription: Subscription, now: Date): boolean {
  const moment = nextMoment(subscription);
  return subscription.expiring !== null || (moment !== null && moment.at <= now);
}
