import { addCycles, assert, type BillingCycle, cycleDays, dayMs } from "@malipo/core";

/** The time that one invoice bills: `from` is inside the period, `to` is not. */
export interface Period {
  readonly from: Date;
  readonly to: Date;
}

export function periodFrom(from: Date, cycle: BillingCycle): Period {
  return { from, to: addCycles(from, cycle, 1) };
}

/** The first boundary after a date. Boundaries are whole cycles away from the billing anchor. */
export function boundaryAfter(date: Date, billingAnchor: Date, cycle: BillingCycle): Date {
  const lengthMs = cycleDays[cycle] * dayMs;
  const passed = Math.floor((date.getTime() - billingAnchor.getTime()) / lengthMs);
  const boundary = addCycles(billingAnchor, cycle, passed + 1);
  assert(boundary > date, "the next boundary lies ahead");
  return boundary;
}

/** Days after which a pending subscription expires. */
export function pendingDaysMax(cycle: BillingCycle): number {
  return cycle === "weekly" ? 14 : 30;
}
