import type { ProcessDueResult } from "@malipo/contracts";
import type { Changed, Saved } from "@malipo/platform";
import { advance } from "../domain/lifecycle/advance.ts";
import type { Change } from "../domain/lifecycle/change.ts";
import type { Deps } from "../deps.ts";
import { duePrompt } from "../domain/dunning/prompt-schedule.ts";
import { businessesOf, lookOf } from "../workflows/billing-context.ts";
import type { Subscription } from "../domain/lifecycle/subscription.ts";
import { visit } from "./process-due.ts";

type Due = Saved<Subscription>;

/** Of those that need somebody else's answer, so many at once. */
const visitsMax = 16;

interface Step {
  readonly buckets: readonly number[];
  readonly limit: number;
  readonly now: Date;
  /** What is not begun by then is left for the next step. */
  readonly until: Date;
  readonly deadline: Date;
}

const nothingBegun: ProcessDueResult = {
  found: 0,
  done: 0,
  skipped: 0,
  failed: 0,
  oldest: null,
  more: true,
};

/** One bounded step: what only needs a decision is saved in one write, the rest is visited. */
export async function workOff(deps: Deps, step: Step): Promise<ProcessDueResult> {
  const { subscriptions, service } = deps;
  await service.relay.room();
  if (service.clock() >= step.until) return nothingBegun;
  const due = await subscriptions.dueWithin(step.buckets, step.now, step.limit);
  const { decided, toVisit } = await decide(deps, due, step.now);
  const conflicts = await subscriptions.saveMany(decided);
  const count = { done: decided.length - conflicts.size, skipped: conflicts.size, failed: 0 };
  let left = 0;
  await eachOf(toVisit, async (one) => {
    if (service.clock() >= step.until) left += 1;
    else count[await visit(deps, one, step)] += 1;
  });
  return {
    found: due.length - left,
    ...count,
    oldest: oldestOf(due),
    more: due.length === step.limit || left > 0,
  };
}

/** Most have only reached a boundary: nobody has to be asked, and one write takes them all. */
async function decide(
  deps: Deps,
  due: readonly Due[],
  now: Date,
): Promise<{ decided: Changed<Subscription>[]; toVisit: Due[] }> {
  const businessOf = businessesOf(deps);
  const decided: Changed<Subscription>[] = [];
  const toVisit: Due[] = [];
  for (const before of due) {
    const change = await tryDeciding(deps, businessOf, before.entity, now);
    if (change) decided.push({ before, change, cause: { now } });
    else toVisit.push(before);
  }
  return { decided, toVisit };
}

/** Null of one that somebody has to be asked about, or that makes trouble: neither holds up the others. */
async function tryDeciding(
  deps: Deps,
  businessOf: ReturnType<typeof businessesOf>,
  entity: Subscription,
  now: Date,
): Promise<Change | null> {
  const business = await businessOf(entity.businessid);
  if (!business.ok || business.value.status === "suspended") return null;
  if (entity.withdrawing || entity.expiring || duePrompt(entity, now)) return null;
  try {
    const change = advance(entity, lookOf(deps, business.value, entity, now));
    return change.want === "nothing" || change.want === "another-step" ? change : null;
  } catch {
    return null;
  }
}

function oldestOf(due: readonly Due[]): string | null {
  const dates = due.flatMap(({ entity: { dueat } }) => dueat?.getTime() ?? []);
  return dates.length === 0 ? null : new Date(Math.min(...dates)).toISOString();
}

async function eachOf<Item>(items: readonly Item[], work: (item: Item) => Promise<void>) {
  const queue = items.values();
  await Promise.all(
    Array.from({ length: Math.min(visitsMax, items.length) }, async () => {
      for (const item of queue) await work(item);
    }),
  );
}
