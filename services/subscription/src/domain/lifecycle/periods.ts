import { addCycles, assert, type BillingCycle, cycleDays, dayMs } from "@malipo/core";

/** What one invoice bills: from its first moment up to, and without, its last. */
export interface Period {
  readonly from: Date;
  readonly to: Date;
}

export function periodFrom(from: Date, cycle: BillingCycle): Period {
  return { from, to: addCycles(from, cycle, 1) };
}

/** The first boundary after a moment, in the rhythm that any one of its boundaries gives. */
export function boundaryAfter(moment: Date, rhythm: Date, cycle: BillingCycle): Date {
  const lengthMs = cycleDays[cycle] * dayMs;
  const passed = Math.floor((moment.getTime() - rhythm.getTime()) / lengthMs);
  const boundary = addCycles(rhythm, cycle, passed + 1);
  assert(boundary > moment, "the next boundary lies ahead");
  return boundary;
}

/** How long a subscription may wait for its customer before it ends. */
export function patienceDays(cycle: BillingCycle): number {
  return cycle === "weekly" ? 14 : 30;
}
