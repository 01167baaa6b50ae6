import { addMs, minuteMs, secondMs } from "@malipo/core";
import { earlier, nextMoment, nextPromptAt } from "./scheduled-transitions.ts";
import type { Subscription } from "./subscription.ts";

const firstDelayMs = 30 * secondMs;
const longestDelayMs = 60 * minuteMs;
const suspendedMs = 60 * minuteMs;
/** So often it is tried again by itself; what still fails then waits for an operator. */
const triesMax = 8;

/** When somebody has to look at it: for what its dates bring, for a prompt, or to finish what was begun. */
export function scheduled(subscription: Subscription, now: Date): Subscription {
  const isUnfinished = subscription.withdrawing || subscription.expiring !== null;
  const moment = nextMoment(subscription)?.at ?? null;
  const dueat = isUnfinished ? now : earlier(moment, nextPromptAt(subscription));
  return { ...subscription, dueat, tries: 0, parked: null, heldback: null };
}

/** What cannot be had yet is no failure. */
export function putOff(subscription: Subscription, delayMs: number, now: Date): Subscription {
  return { ...subscription, dueat: addMs(now, delayMs) };
}

/** Its business is suspended: it is due when that is back, and looked at now and then until it is. */
export function holdBack(subscription: Subscription, now: Date): Subscription {
  return { ...putOff(subscription, suspendedMs, now), heldback: subscription.heldback ?? now };
}

/** Each time it waits longer, and in the end for an operator; the others go on without it. */
export function putOffFailed(subscription: Subscription, reason: string, now: Date): Subscription {
  const tries = subscription.tries + 1;
  if (tries >= triesMax) {
    return { ...subscription, tries, dueat: null, parked: { reason, at: now } };
  }
  const delayMs = Math.min(longestDelayMs, firstDelayMs * 4 ** (tries - 1));
  return { ...putOff(subscription, delayMs, now), tries };
}
