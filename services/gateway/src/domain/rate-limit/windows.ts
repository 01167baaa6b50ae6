import type { RateLimits, BusinessPlan, RateClass } from "@malipo/contracts";
import { dayMs, minuteMs, secondMs } from "@malipo/core";

/** So many requests between two multiples of a length of time, counted from the epoch. */
export interface Window {
  readonly name: string;
  readonly lengthMs: number;
  readonly limit: number;
}

const planLimits = {
  free: { second: 5, minute: 60, day: 1_000 },
  starter: { second: 10, minute: 300, day: 10_000 },
  professional: { second: 25, minute: 1_000, day: 100_000 },
  // Until an operator has set a business's own.
  enterprise: { second: 25, minute: 1_000, day: 100_000 },
} as const satisfies Record<BusinessPlan, RateLimits>;

const classWindows: Readonly<Record<RateClass, readonly Window[]>> = {
  plan: [],
  none: [],
  "product-list": [{ name: "product-list", lengthMs: minuteMs, limit: 100 }],
  "product-details": [{ name: "product-details", lengthMs: minuteMs, limit: 200 }],
};

/** By the limits they are made of, which live as long as the plan or what is known of a business. */
const made = new WeakMap<RateLimits, Map<RateClass, readonly Window[]>>();

/** Every window that counts a request: the plan's, and a route's own beside them. */
export function windowsFor(
  plan: BusinessPlan,
  own: RateLimits | null,
  rateClass: RateClass,
): readonly Window[] {
  const limits = own ?? planLimits[plan];
  const known = made.get(limits)?.get(rateClass);
  if (known) return known;
  // Limits of a business's own replace all others.
  const windows = [...windowsOf(limits), ...(own ? [] : classWindows[rateClass])];
  made.set(limits, new Map(made.get(limits)).set(rateClass, windows));
  return windows;
}

function windowsOf({ second, minute, day }: RateLimits): readonly Window[] {
  return [
    { name: "second", lengthMs: secondMs, limit: second },
    { name: "minute", lengthMs: minuteMs, limit: minute },
    { name: "day", lengthMs: dayMs, limit: day },
  ];
}

export function startOf({ lengthMs }: Window, nowMs: number): number {
  return Math.floor(nowMs / lengthMs) * lengthMs;
}
