import { assert } from "./assert.ts";

/** Time is an argument everywhere. Only the main.ts of a service creates a real clock. */
export type Clock = () => Date;

export const secondMs = 1_000;
export const minuteMs = 60 * secondMs;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** Cycles have fixed lengths, so that billing dates never drift with the calendar. */
export const cycleDays = { weekly: 7, monthly: 30, quarterly: 90, yearly: 365 } as const;

export type BillingCycle = keyof typeof cycleDays;

export const billingCycles = Object.keys(cycleDays) as readonly BillingCycle[];

export function addMs(from: Date, ms: number): Date {
  const moved = new Date(from.getTime() + ms);
  assert(!Number.isNaN(moved.getTime()), "the result is within the range of Date");
  return moved;
}

export function addCycles(from: Date, cycle: BillingCycle, count: number): Date {
  assert(Number.isSafeInteger(count), `a count of cycles is a whole number, not ${count}`);
  return addMs(from, count * cycleDays[cycle] * dayMs);
}

/**
 * Returns how many milliseconds a remote clock is ahead; negative when it is behind. The remote
 * clock was read between our request and its answer, so a time between the two proves nothing: zero.
 */
export function clockSkew(remoteTime: Date, requestedAt: Date, answeredAt: Date): number {
  if (remoteTime < requestedAt) return remoteTime.getTime() - requestedAt.getTime();
  return Math.max(0, remoteTime.getTime() - answeredAt.getTime());
}
