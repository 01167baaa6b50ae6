import { secondMs } from "@malipo/core";
import type { Lease } from "./lease.ts";
import { startOf, type Window } from "./windows.ts";

/** What a response says about the limits, and whether there may be one at all. */
export interface Decision {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  readonly resetMs: number;
}

/** What may still be spent here of one window, changed in place: a request makes nothing new. */
interface Budget {
  readonly startMs: number;
  amount: number;
  /** What nobody had taken yet when it was leased. */
  readonly left: number;
}

/** One credential at this gateway: what it may still spend here, and how much it asked lately. */
export interface Account {
  readonly budgets: Map<string, Budget>;
  readonly demand: { secondMs: number; count: number; before: number };
}

export function openAccount(): Account {
  return { budgets: new Map(), demand: { secondMs: 0, count: 0, before: 0 } };
}

export function grant({ budgets }: Account, leases: ReadonlyMap<string, Lease>): void {
  for (const [name, lease] of leases) budgets.set(name, { ...lease });
}

export function noteDemand({ demand }: Account, nowMs: number): void {
  const second = nowMs - (nowMs % secondMs);
  if (demand.secondMs !== second) {
    demand.before = demand.secondMs === second - secondMs ? demand.count : 0;
    demand.secondMs = second;
    demand.count = 0;
  }
  demand.count += 1;
}

/** How much it asked in about a second: a lease should not last much longer. */
export function recentDemand({ demand }: Account): number {
  return Math.max(demand.count, demand.before);
}

/** The budget of the window that is open now; it ends with its window. */
function currentBudget({ budgets }: Account, window: Window, nowMs: number): Budget | undefined {
  const budget = budgets.get(window.name);
  return budget && budget.startMs >= startOf(window, nowMs) ? budget : undefined;
}

const isLacking = (budget: Budget | undefined) =>
  !budget || (budget.amount === 0 && budget.left > 0);

/** Windows that this gateway cannot spend from, but that may have something left in the store. */
export function lackingWindows(
  account: Account,
  windows: readonly Window[],
  nowMs: number,
): readonly Window[] {
  return windows.filter((window) => isLacking(currentBudget(account, window, nowMs)));
}

/** Spends one of every window, or nothing; undefined when a lease is needed first. */
export function takeNow(
  account: Account,
  windows: readonly Window[],
  nowMs: number,
): Decision | undefined {
  let lacking = false;
  for (const window of windows) {
    const budget = currentBudget(account, window, nowMs);
    if (isLacking(budget)) lacking = true;
    else if (budget?.amount === 0) return describe(account, windows, nowMs, false);
  }
  if (lacking) return undefined;
  for (const { name } of windows) {
    const budget = account.budgets.get(name);
    if (budget) budget.amount -= 1;
  }
  return describe(account, windows, nowMs, true);
}

/** The window with the fewest requests left; of equals the one that opens again later. */
export function describe(
  account: Account,
  windows: readonly Window[],
  nowMs: number,
  allowed: boolean,
): Decision {
  let tightest: Decision | undefined;
  for (const window of windows) {
    const budget = currentBudget(account, window, nowMs);
    const remaining = budget ? budget.amount + budget.left : window.limit;
    const resetMs = (budget?.startMs ?? startOf(window, nowMs)) + window.lengthMs;
    const isTighter =
      !tightest ||
      remaining < tightest.remaining ||
      (remaining === tightest.remaining && resetMs > tightest.resetMs);
    if (isTighter) tightest = { allowed, limit: window.limit, remaining, resetMs };
  }
  if (!tightest) throw new RangeError("a limit has at least one window");
  return tightest;
}
