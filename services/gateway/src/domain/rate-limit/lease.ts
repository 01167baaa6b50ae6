import { periodStartMs, type Window } from "./windows.ts";

/** The requests of one period that all gateways together have leased. */
interface LeasedRequests {
  readonly startMs: number;
  readonly taken: number;
}

/** One credential's windows by name. All gateways share it in the store. */
export type SharedWindows = Readonly<Record<string, LeasedRequests>>;

/** Requests of one period that one gateway may admit without asking the store again. */
export interface Lease {
  readonly startMs: number;
  readonly amount: number;
  /** Requests that no gateway has leased, after this lease. */
  readonly unleased: number;
}

export interface LeaseDecision {
  readonly leases: ReadonlyMap<string, Lease>;
  /** The windows to store. Undefined when a window is used up, and so nothing is leased. */
  readonly next?: SharedWindows;
}

/**
 * Leases from every window or from none. At most a tenth of what is left, so that several gateways
 * can share it to the last request. At most what is wanted, so that no requests lie unused.
 */
export function leaseFrom(
  shared: SharedWindows,
  windows: readonly Window[],
  wanted: number,
  nowMs: number,
): LeaseDecision {
  const periods = windows.map((window) => ({
    window,
    period: currentPeriod(shared, window, nowMs),
  }));
  const usedUp = periods.filter(({ window, period }) => period.taken >= window.limit);
  if (usedUp.length > 0) {
    return {
      leases: new Map(
        usedUp.map(({ window, period }) => [
          window.name,
          { startMs: period.startMs, amount: 0, unleased: 0 },
        ]),
      ),
    };
  }
  const leases = new Map<string, Lease>();
  const next: Record<string, LeasedRequests> = { ...shared };
  for (const { window, period } of periods) {
    const left = window.limit - period.taken;
    const amount = Math.max(1, Math.min(Math.floor(left / 10), wanted));
    leases.set(window.name, { startMs: period.startMs, amount, unleased: left - amount });
    next[window.name] = { startMs: period.startMs, taken: period.taken + amount };
  }
  return { leases, next };
}

/** A stored period never goes back: a gateway whose clock is slow counts in the newer one. */
function currentPeriod(shared: SharedWindows, window: Window, nowMs: number): LeasedRequests {
  const startMs = periodStartMs(window, nowMs);
  const stored = shared[window.name];
  return stored && stored.startMs >= startMs ? stored : { startMs, taken: 0 };
}

/** While the store is away, each gateway may admit this share of a limit. */
const allowanceShare = 0.1;

/** Leases without the store: a tenth of each limit, and at least one request. */
export function localAllowances(windows: readonly Window[], nowMs: number): Map<string, Lease> {
  return new Map(
    windows.map((window) => {
      const amount = Math.max(1, Math.floor(window.limit * allowanceShare));
      return [window.name, { startMs: periodStartMs(window, nowMs), amount, unleased: 0 }];
    }),
  );
}
