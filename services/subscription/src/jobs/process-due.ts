import type { BusinessView, ProcessDueResult } from "@malipo/contracts";
import { type Fault, fault, minuteMs, type Result } from "@malipo/core";
import { isStoreAway, updateRecord, VersionConflict } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { findDuePrompt } from "../domain/dunning/prompt-schedule.ts";
import { advance } from "../domain/lifecycle/advance.ts";
import { billingContextOf, type Change, unchanged } from "../domain/lifecycle/change.ts";
import { finishWithdrawal } from "../domain/lifecycle/commands.ts";
import { holdBack, postpone, retryLater } from "../domain/lifecycle/schedule.ts";
import type { Subscription } from "../domain/lifecycle/subscription.ts";
import type { StoredSubscription, SubscriptionChange } from "../store/subscriptions.ts";
import { bringUpToDate } from "../workflows/bring-up-to-date.ts";
import { cancelOpen } from "../workflows/invoice-calls.ts";
import { sendDuePrompt } from "../workflows/send-prompt.ts";

/** Subscriptions that need an answer of another service are processed so many at once. */
const concurrencyMax = 16;
const postponeDelayMs = minuteMs;

const businessSuspended = fault("business_suspended");

interface Step {
  readonly buckets: readonly number[];
  readonly limit: number;
  readonly now: Date;
  /** No subscription is begun after this time. */
  readonly until: Date;
  readonly deadline: Date;
}

type Outcome = "done" | "skipped" | "failed";

const emptyStep: ProcessDueResult = {
  found: 0,
  done: 0,
  skipped: 0,
  failed: 0,
  oldest: null,
  more: true,
};

/**
 * One bounded step. Subscriptions that need only a decision are saved in one write. The others are
 * processed one by one, because they need an answer of another service.
 */
export async function processDueBatch(deps: Deps, step: Step): Promise<ProcessDueResult> {
  const { subscriptions, service } = deps;
  await service.outbox.waitForRoom();
  if (service.clock() >= step.until) return emptyStep;
  const due = await subscriptions.findDue(step.buckets, step.now, step.limit);
  const { decided, undecided } = await decideBatch(deps, due, step.now);
  const conflicts = await subscriptions.saveMany(decided);
  const count = { done: decided.length - conflicts.size, skipped: conflicts.size, failed: 0 };
  let left = 0;
  await forEachConcurrently(undecided, async (each) => {
    if (service.clock() >= step.until) left += 1;
    else count[await processDue(deps, each, step)] += 1;
  });
  return {
    found: due.length - left,
    ...count,
    oldest: oldestOf(due),
    more: due.length === step.limit || left > 0,
  };
}

async function decideBatch(deps: Deps, due: readonly StoredSubscription[], now: Date) {
  const ids = [...new Set(due.map(({ entity }) => entity.businessid))];
  const answers = await Promise.all(ids.map(async (id) => deps.businesses.get(id)));
  const businesses = new Map(ids.map((id, index) => [id, answers[index]]));
  const decided: SubscriptionChange[] = [];
  const undecided: StoredSubscription[] = [];
  for (const before of due) {
    const business = businesses.get(before.entity.businessid);
    const change = business && tryDecide(deps, business, before.entity, now);
    if (change) decided.push({ before, change, cause: { now } });
    else undecided.push(before);
  }
  return { decided, undecided };
}

/** Null for a subscription that needs another service or that fails, so that it does not block others. */
function tryDecide(
  { hours }: Deps,
  business: Result<BusinessView, Fault>,
  entity: Subscription,
  now: Date,
): Change | null {
  if (!business.ok || business.value.status === "suspended") return null;
  if (entity.mustWithdrawOffers || entity.expiringSince || findDuePrompt(entity, now)) return null;
  try {
    const change = advance(entity, billingContextOf(business.value, entity, { now, hours }));
    const isComplete = change.nextStep === "nothing" || change.nextStep === "another-step";
    return isComplete ? change : null;
  } catch {
    return null;
  }
}

/** Does everything that is due for one subscription. A failure delays only this subscription. */
async function processDue(
  deps: Deps,
  due: StoredSubscription,
  { now, deadline }: Pick<Step, "now" | "deadline">,
): Promise<Outcome> {
  try {
    const problem = await applyDue(deps, due, now, deadline);
    if (problem === null) return await scheduleNext(deps, due, now);
    if (problem.code === "business_suspended") return await holdUntilResumed(deps, due, now);
    if (problem.retry === "never") {
      return await fail(deps, due, problem.logText ?? problem.text, now);
    }
    await reschedule(deps, due, (entity) => postpone(entity, postponeDelayMs, now), now);
    return "skipped";
  } catch (error) {
    // Another writer has changed the subscription. It is still due if work is left.
    if (error instanceof VersionConflict) return "skipped";
    if (isStoreAway(error)) throw error;
    const fields = { err: error, subscription: due.entity.id };
    deps.service.log.error(fields, "processing a due subscription failed; will retry");
    return fail(deps, due, error instanceof Error ? error.message : String(error), now);
  }
}

/** Returns why the work could not be finished, or null. */
async function applyDue(
  deps: Deps,
  due: StoredSubscription,
  now: Date,
  deadline: Date,
): Promise<Fault | null> {
  const { subscriptions, businesses } = deps;
  const { businessid, id, mustWithdrawOffers } = due.entity;
  const business = await businesses.get(businessid);
  if (!business.ok) return business.error;
  if (business.value.status === "suspended") return businessSuspended;
  let current = due;
  if (mustWithdrawOffers) {
    const cancelled = await cancelOpen(deps, due.entity, ["renewal"], deadline);
    if (!cancelled.ok) return cancelled.error;
    await subscriptions.save(due, finishWithdrawal(due.entity), { now });
    current = (await subscriptions.find(businessid, id)) ?? due;
  }
  const advanced = await bringUpToDate(deps, current, now, deadline);
  return advanced.ok ? sendDuePrompt(deps, advanced.value, now, deadline) : advanced.error;
}

/** If the work changed nothing, `dueat` was out of date. It is computed again, or the job would loop. */
async function scheduleNext(deps: Deps, due: StoredSubscription, now: Date): Promise<Outcome> {
  const { subscriptions } = deps;
  const current = await subscriptions.find(due.entity.businessid, due.entity.id);
  if (!current || current.version !== due.version) return "done";
  await subscriptions.save(current, unchanged(current.entity), { now });
  return "done";
}

async function fail(
  deps: Deps,
  due: StoredSubscription,
  reason: string,
  now: Date,
): Promise<Outcome> {
  await reschedule(deps, due, (subscription) => retryLater(subscription, reason, now), now);
  return "failed";
}

/** A suspended business is not billed. Its subscriptions become due when it is resumed. */
async function holdUntilResumed(deps: Deps, due: StoredSubscription, now: Date): Promise<Outcome> {
  const { businessid } = due.entity;
  await reschedule(deps, due, (subscription) => holdBack(subscription, now), now);
  // The business may have been resumed since. The resume handler could not see this record, so check
  // again.
  const business = await deps.businesses.get(businessid);
  if (business.ok && business.value.status === "active") {
    await deps.subscriptions.releaseHeldBack(businessid, now);
  }
  return "skipped";
}

/** A conflict changes nothing here: the other writer has scheduled the subscription. */
async function reschedule(
  { subscriptions }: Deps,
  { entity: { businessid, id } }: StoredSubscription,
  later: (subscription: Subscription) => Subscription,
  now: Date,
): Promise<void> {
  await updateRecord<StoredSubscription, Subscription>({
    find: async () => subscriptions.find(businessid, id),
    decide: ({ entity }) => later(entity),
    save: async (current, entity) => subscriptions.saveSchedule(current, entity, now),
    onConflict: "skip",
  });
}

function oldestOf(due: readonly StoredSubscription[]): string | null {
  const dates = due.flatMap(({ entity: { dueat } }) => dueat?.getTime() ?? []);
  return dates.length === 0 ? null : new Date(Math.min(...dates)).toISOString();
}

async function forEachConcurrently<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
) {
  const queue = items.values();
  await Promise.all(
    Array.from({ length: Math.min(concurrencyMax, items.length) }, async () => {
      for (const item of queue) await work(item);
    }),
  );
}
