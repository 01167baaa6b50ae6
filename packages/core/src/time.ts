import { assert } from "./assert.ts";

/** Time is an argument everywhere; only a service's main.ts makes a real clock. */
export type Clock = () => Date;

export const secondMs = 1_000;
export const minuteMs = 60 * secondMs;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** Cycles have fixed lengths, so a rhythm never drifts with the calendar. */
export const cycleDays = { weekly: 7, monthly: 30, quarterly: 90, yearly: 365 } as const;

export type BillingCycle = keyof typeof cycleDays;

export const billingCycles = Object.keys(cycleDays) as readonly BillingCycle[];

export function addMs(from: Date, ms: number): Date {
  const moved = new Date(from.getTime() + ms);
  assert(!Number.isNaN(moved.getTime()), "a moment within the range of Date");
  return moved;
}

export function addCycles(from: Date, cycle: BillingCycle, count: number): Date {
  assert(Number.isSafeInteger(count), `a count of cycles is a whole number, not ${count}`);
  return addMs(from, count * cycleDays[cycle] * dayMs);
}

/**
 * How far another clock is ahead, in milliseconds: it was read at some moment between the question
 * and the answer, and only what lies outside of them says anything.
 */
export function clockSkew(theirs: Date, asked: Date, answered: Date): number {
  if (theirs < asked) return theirs.getTime() - asked.getTime();
  return Math.max(0, theirs.getTime() - answered.getTime());
}
