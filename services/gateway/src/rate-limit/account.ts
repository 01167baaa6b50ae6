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

/** One credential at this gateway: what it may still spend here, and how much it asked lately. */
export interface Account {
  readonly budgets: Map<string, Lease>;
  demand: { readonly secondMs: number; readonly count: number; readonly before: number };
}

export function openAccount(): Account {
  return { budgets: new Map(), demand: { secondMs: 0, count: 0, before: 0 } };
}

export function noteDemand(account: Account, nowMs: number): void {
  const second = nowMs - (nowMs % secondMs);
  const { demand } = account;
  if (demand.secondMs === second) {
    account.demand = { ...demand, count: demand.count + 1 };
  } else {
    const before = demand.secondMs === second - secondMs ? demand.count : 0;
    account.demand = { secondMs: second, count: 1, before };
  }
}

/** How much it asked in about a second: a lease should not last much longer. */
export function recentDemand({ demand }: Account): number {
  return Math.max(demand.count, demand.before);
}

/** The lease of the window that is open now; a budget ends with its window. */
function currentLease(account: Account, window: Window, nowMs: number): Lease | undefined {
  const lease = account.budgets.get(window.name);
  return lease && lease.startMs >= startOf(window, nowMs) ? lease : undefined;
}

/** Windows that this gateway cannot spend from, but that may have something left in the store. */
export function lackingWindows(
  account: Account,
  windows: readonly Window[],
  nowMs: number,
): readonly Window[] {
  return windows.filter((window) => {
    const lease = currentLease(account, window, nowMs);
    return !lease || (lease.amount === 0 && lease.left > 0);
  });
}

/** Spends one of every window, or nothing; undefined when a lease is needed first. */
export function takeNow(
  account: Account,
  windows: readonly Window[],
  nowMs: number,
): Decision | undefined {
  const usedUp = windows.some((window) => {
    const lease = currentLease(account, window, nowMs);
    return lease?.amount === 0 && lease.left === 0;
  });
  if (usedUp) return describe(account, windows, nowMs, false);
  if (lackingWindows(account, windows, nowMs).length > 0) return undefined;
  for (const { name } of windows) {
    const lease = account.budgets.get(name);
    if (lease) account.budgets.set(name, { ...lease, amount: lease.amount - 1 });
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
  const [tightest] = windows
    .map((window) => {
      const lease = currentLease(account, window, nowMs);
      return {
        allowed,
        limit: window.limit,
        remaining: lease ? lease.amount + lease.left : window.limit,
        resetMs: (lease?.startMs ?? startOf(window, nowMs)) + window.lengthMs,
      };
    })
    .toSorted((a, b) => a.remaining - b.remaining || b.resetMs - a.resetMs);
  if (!tightest) throw new RangeError("a limit has at least one window");
  return tightest;
}
