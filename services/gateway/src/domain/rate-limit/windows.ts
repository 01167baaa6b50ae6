import type { BusinessPlan, RateClass, RateLimits } from "@malipo/contracts";
import { dayMs, minuteMs, secondMs } from "@malipo/core";

/** A limit of requests in each period of `lengthMs`. Periods are aligned to the Unix epoch. */
export interface Window {
  readonly name: string;
  readonly lengthMs: number;
  readonly limit: number;
}

const planLimits = {
  free: { second: 5, minute: 60, day: 1_000 },
  starter: { second: 10, minute: 300, day: 10_000 },
  professional: { second: 25, minute: 1_000, day: 100_000 },
  // Until an operator sets limits of the business itself.
  enterprise: { second: 25, minute: 1_000, day: 100_000 },
} as const satisfies Record<BusinessPlan, RateLimits>;

const routeWindows: Readonly<Record<RateClass, readonly Window[]>> = {
  plan: [],
  none: [],
  "product-list": [{ name: "product-list", lengthMs: minuteMs, limit: 100 }],
  "product-details": [{ name: "product-details", lengthMs: minuteMs, limit: 200 }],
};

/**
 * Every request needs its windows, so they are built once for each object of limits. An entry lives
 * as long as that object: that of a plan always, that of a business as long as its cached principal.
 */
const cache = new WeakMap<RateLimits, Map<RateClass, readonly Window[]>>();

/**
 * All windows that count a request: those of the plan, and that of the route. Limits agreed with a
 * business replace both.
 */
export function windowsFor(
  plan: BusinessPlan,
  agreed: RateLimits | null,
  rateClass: RateClass,
): readonly Window[] {
  const limits = agreed ?? planLimits[plan];
  const cached = cache.get(limits)?.get(rateClass);
  if (cached) return cached;
  const windows = [...windowsOf(limits), ...(agreed ? [] : routeWindows[rateClass])];
  cache.set(limits, new Map(cache.get(limits)).set(rateClass, windows));
  return windows;
}

function windowsOf({ second, minute, day }: RateLimits): readonly Window[] {
  return [
    { name: "second", lengthMs: secondMs, limit: second },
    { name: "minute", lengthMs: minuteMs, limit: minute },
    { name: "day", lengthMs: dayMs, limit: day },
  ];
}

/** The start of the window's period at this time. */
export function periodStartMs({ lengthMs }: Window, nowMs: number): number {
  return Math.floor(nowMs / lengthMs) * lengthMs;
}
