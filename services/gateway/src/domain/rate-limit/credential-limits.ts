import { secondMs } from "@malipo/core";
import type { Lease } from "./lease.ts";
import { periodStartMs, type Window } from "./windows.ts";

/** Whether a request is admitted, and the limit that its response headers describe. */
export interface LimitDecision {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Unix time in milliseconds at which the window's next period starts. */
  readonly resetMs: number;
  /** Milliseconds from the decision until `resetMs`. */
  readonly waitMs: number;
}

/** What is left of a lease. Changed in place, so that a request allocates nothing. */
interface Budget {
  readonly startMs: number;
  amount: number;
  readonly unleased: number;
}

/** The state of one credential at this gateway: its leases, and its recent demand. */
export interface CredentialLimits {
  readonly budgets: Map<string, Budget>;
  /** Requests in the second that starts at `secondMs`, and in the second before it. */
  readonly demand: { secondMs: number; count: number; countBefore: number };
}

export function newCredentialLimits(): CredentialLimits {
  return { budgets: new Map(), demand: { secondMs: 0, count: 0, countBefore: 0 } };
}

export function addLeases({ budgets }: CredentialLimits, leases: ReadonlyMap<string, Lease>): void {
  for (const [name, lease] of leases) budgets.set(name, { ...lease });
}

export function countDemand({ demand }: CredentialLimits, nowMs: number): void {
  const second = nowMs - (nowMs % secondMs);
  if (demand.secondMs !== second) {
    demand.countBefore = demand.secondMs === second - secondMs ? demand.count : 0;
    demand.secondMs = second;
    demand.count = 0;
  }
  demand.count += 1;
}

/** Requests in about a second. A lease should not last much longer than that. */
export function recentDemand({ demand }: CredentialLimits): number {
  return Math.max(demand.count, demand.countBefore);
}

/** A budget ends with its period. */
function currentBudget(
  { budgets }: CredentialLimits,
  window: Window,
  nowMs: number,
): Budget | undefined {
  const budget = budgets.get(window.name);
  return budget && budget.startMs >= periodStartMs(window, nowMs) ? budget : undefined;
}

const needsLease = (budget: Budget | undefined) =>
  !budget || (budget.amount === 0 && budget.unleased > 0);

/** Windows without budget at this gateway, of which the store may have requests left. */
export function windowsToLease(
  limits: CredentialLimits,
  windows: readonly Window[],
  nowMs: number,
): readonly Window[] {
  return windows.filter((window) => needsLease(currentBudget(limits, window, nowMs)));
}

/** Takes one request from every window, or from none. Undefined when a lease is needed first. */
export function takeFromBudgets(
  limits: CredentialLimits,
  windows: readonly Window[],
  nowMs: number,
): LimitDecision | undefined {
  let isLeaseNeeded = false;
  for (const window of windows) {
    const budget = currentBudget(limits, window, nowMs);
    if (needsLease(budget)) isLeaseNeeded = true;
    else if (budget?.amount === 0) return describeTightest(limits, windows, nowMs, false);
  }
  if (isLeaseNeeded) return undefined;
  for (const { name } of windows) {
    const budget = limits.budgets.get(name);
    if (budget) budget.amount -= 1;
  }
  return describeTightest(limits, windows, nowMs, true);
}

/** Describes the window with the fewest requests left; of two equal ones, that which resets later. */
export function describeTightest(
  limits: CredentialLimits,
  windows: readonly Window[],
  nowMs: number,
  allowed: boolean,
): LimitDecision {
  let tightest: LimitDecision | undefined;
  for (const window of windows) {
    const budget = currentBudget(limits, window, nowMs);
    const remaining = budget ? budget.amount + budget.unleased : window.limit;
    const resetMs = (budget?.startMs ?? periodStartMs(window, nowMs)) + window.lengthMs;
    const isTighter =
      !tightest ||
      remaining < tightest.remaining ||
      (remaining === tightest.remaining && resetMs > tightest.resetMs);
    if (isTighter) {
      tightest = { allowed, limit: window.limit, remaining, resetMs, waitMs: resetMs - nowMs };
    }
  }
  if (!tightest) throw new RangeError("a limit has at least one window");
  return tightest;
}
