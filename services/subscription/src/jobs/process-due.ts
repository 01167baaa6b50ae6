import { type Fault, fault, minuteMs } from "@malipo/core";
import { isStoreAway, type Saved, VersionConflict } from "@malipo/platform";
import { bringUpToDate } from "../workflows/bring-up-to-date.ts";
import { withdrawn } from "../domain/lifecycle/commands.ts";
import { cancelOpen } from "../workflows/invoice-calls.ts";
import type { Deps } from "../deps.ts";
import { promptIfDue } from "../workflows/send-prompt.ts";
import { holdBack, putOff, putOffFailed } from "../domain/lifecycle/schedule.ts";
import type { Subscription } from "../domain/lifecycle/subscription.ts";

type Due = Saved<Subscription>;

/** How a visit ended. */
export type Outcome = "done" | "skipped" | "failed";

const againMs = minuteMs;

interface Visit {
  readonly now: Date;
  readonly deadline: Date;
}

/** Does all that is due for one subscription; whatever goes wrong is held against that one alone. */
export async function visit(deps: Deps, due: Due, { now, deadline }: Visit): Promise<Outcome> {
  try {
    const problem = await attend(deps, due, { now, deadline });
    if (problem === null) return await restUntilNext(deps, due, now);
    if (problem.code === "business_suspended") return await holdUntilResumed(deps, due, now);
    if (problem.retry === "never") {
      return await fail(deps, due, problem.detail ?? problem.text, now);
    }
    return await postpone(deps, due, now);
  } catch (error) {
    // Somebody else looks after it, and it is as it is: its turn comes again.
    if (error instanceof VersionConflict) return "skipped";
    if (isStoreAway(error)) throw error;
    deps.service.log.error({ err: error, subscription: due.entity.id }, "visit failed");
    return fail(deps, due, error instanceof Error ? error.message : String(error), now);
  }
}

/** What kept it from being done; null when nothing did. */
async function attend(deps: Deps, due: Due, { now, deadline }: Visit): Promise<Fault | null> {
  const { subscriptions, businesses } = deps;
  const { businessid, id } = due.entity;
  const business = await businesses.get(businessid);
  if (!business.ok) return business.error;
  if (business.value.status === "suspended") return suspended;
  let present = due;
  if (due.entity.withdrawing) {
    const cancelled = await cancelOpen(deps, due.entity, (why) => why === "renewal", deadline);
    if (!cancelled.ok) return cancelled.error;
    await subscriptions.save(due, withdrawn(due.entity), { now });
    present = (await subscriptions.find(businessid, id)) ?? due;
  }
  const advanced = await bringUpToDate(deps, present, now, deadline);
  return advanced.ok ? promptIfDue(deps, advanced.value, now, deadline) : advanced.error;
}

const suspended = fault("business_suspended");

/** Nothing is left that is due; should it say so all the same, it waits, and turns no wheels. */
async function restUntilNext(deps: Deps, due: Due, now: Date): Promise<Outcome> {
  const { subscriptions } = deps;
  const present = await subscriptions.find(due.entity.businessid, due.entity.id);
  if (!present || present.version !== due.version) return "done";
  await subscriptions.save(present, { entity: present.entity, events: [] }, { now });
  return "done";
}

async function fail(deps: Deps, due: Due, reason: string, now: Date): Promise<Outcome> {
  await change(deps, due, (subscription) => putOffFailed(subscription, reason, now), now);
  return "failed";
}

async function postpone(deps: Deps, due: Due, now: Date): Promise<Outcome> {
  await change(deps, due, (subscription) => putOff(subscription, againMs, now), now);
  return "skipped";
}

/** A suspended business is not billed; what became due meanwhile is due when it is back. */
async function holdUntilResumed(deps: Deps, due: Due, now: Date): Promise<Outcome> {
  const { businessid } = due.entity;
  await change(deps, due, (subscription) => holdBack(subscription, now), now);
  // It may be back by now, and whoever heard of that could not know of this one.
  const business = await deps.businesses.get(businessid);
  if (business.ok && business.value.status === "active") {
    await deps.subscriptions.releaseHeldBack(businessid, now);
  }
  return "skipped";
}

async function change(
  { subscriptions }: Deps,
  { entity: { businessid, id } }: Due,
  later: (subscription: Subscription) => Subscription,
  now: Date,
): Promise<void> {
  const present = await subscriptions.find(businessid, id);
  if (!present) return;
  try {
    await subscriptions.putOff(present, later(present.entity), { now });
  } catch (error) {
    if (!(error instanceof VersionConflict)) throw error;
  }
}
