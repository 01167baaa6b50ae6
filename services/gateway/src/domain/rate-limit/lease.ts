import { startOf, type Window } from "./windows.ts";

/** How much of a window all gateways together have taken. */
interface Taken {
  readonly startMs: number;
  readonly taken: number;
}

/** By window name, as the store keeps it for one credential. */
export type Ledger = Readonly<Record<string, Taken>>;

/** What one gateway may spend of a window without asking again. */
export interface Lease {
  readonly startMs: number;
  readonly amount: number;
  /** What nobody had taken yet after this lease. */
  readonly left: number;
}

export interface Leasing {
  readonly leases: ReadonlyMap<string, Lease>;
  /** The ledger to be stored; absent when some window is used up and so nothing is taken at all. */
  readonly ledger?: Ledger;
}

/**
 * Takes from every window or from none: at most a tenth of what is left, so that several gateways
 * can share it to the last request, and at most what is wanted, so that nothing lies idle.
 */
export function takeLeases(
  ledger: Ledger,
  windows: readonly Window[],
  wanted: number,
  nowMs: number,
): Leasing {
  const states = windows.map((window) => ({ window, state: stateOf(ledger, window, nowMs) }));
  const usedUp = states.filter(({ window, state }) => state.taken >= window.limit);
  if (usedUp.length > 0) {
    return {
      leases: new Map(
        usedUp.map(({ window, state }) => [
          window.name,
          { startMs: state.startMs, amount: 0, left: 0 },
        ]),
      ),
    };
  }
  const leases = new Map<string, Lease>();
  const next: Record<string, Taken> = { ...ledger };
  for (const { window, state } of states) {
    const left = window.limit - state.taken;
    const amount = Math.max(1, Math.min(Math.floor(left / 10), wanted));
    leases.set(window.name, { startMs: state.startMs, amount, left: left - amount });
    next[window.name] = { startMs: state.startMs, taken: state.taken + amount };
  }
  return { leases, ledger: next };
}

/** A stored window never goes back: a gateway whose clock is late counts in the newer one. */
function stateOf(ledger: Ledger, window: Window, nowMs: number): Taken {
  const startMs = startOf(window, nowMs);
  const stored = ledger[window.name];
  return stored && stored.startMs >= startMs ? stored : { startMs, taken: 0 };
}
