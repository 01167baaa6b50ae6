import { addMs, minuteMs, secondMs } from "@malipo/core";
import { expiryOf } from "./expiry.ts";
import { findPrompted, isOpen } from "./open-invoices.ts";
import { transitions, type Trigger } from "./states.ts";
import type { Subscription } from "./subscription.ts";

/** The triggers that a date brings about. At the same instant, an earlier one in this list goes first. */
const dateTriggers = [
  "end-date",
  "invoice-overdue",
  "trial-ends",
  "period-ends",
  "pending-too-long",
] as const satisfies readonly Trigger[];

export interface ScheduledTransition {
  readonly trigger: (typeof dateTriggers)[number];
  readonly at: Date;
}

const retryDelayMs = 30 * secondMs;
const retryDelayMaxMs = 60 * minuteMs;
const suspendedDelayMs = 60 * minuteMs;
/** After this many failures the subscription is parked and waits for an operator. */
const attemptsMax = 8;

/** The transition that happens next if there is no command and no payment; null if there is none. */
export function nextTransition(subscription: Subscription): ScheduledTransition | null {
  return scheduledTransitionsOf(subscription).reduce<ScheduledTransition | null>(
    (first, each) => (first && isBefore(first, each) ? first : each),
    null,
  );
}

function isBefore(one: ScheduledTransition, other: ScheduledTransition): boolean {
  const apartMs = one.at.getTime() - other.at.getTime();
  const rank = ({ trigger }: ScheduledTransition) => dateTriggers.indexOf(trigger);
  return apartMs < 0 || (apartMs === 0 && rank(one) <= rank(other));
}

function scheduledTransitionsOf(subscription: Subscription): ScheduledTransition[] {
  const { status, enddate, invoices, nextbillingdate } = subscription;
  const scheduled: ScheduledTransition[] = [];
  if (enddate && transitions[status]["end-date"]) {
    scheduled.push({ trigger: "end-date", at: enddate });
  }
  if (nextbillingdate && (status === "trial" || status === "active")) {
    const trigger = status === "trial" ? "trial-ends" : "period-ends";
    scheduled.push({ trigger, at: nextbillingdate });
  }
  if (status === "active") {
    for (const { state, duedate } of invoices) {
      const isDebt = state === "open" || state === "overdue";
      if (isDebt) scheduled.push({ trigger: "invoice-overdue", at: duedate });
    }
  }
  if (status === "pending") {
    scheduled.push({ trigger: "pending-too-long", at: expiryOf(subscription) });
  }
  return scheduled;
}

/** Customers are prompted only while the subscription is active or pending. */
export function nextPromptAt({ status, autorenew, invoices }: Subscription): Date | null {
  if (!autorenew || (status !== "active" && status !== "pending")) return null;
  const prompted = findPrompted(invoices);
  if (prompted) return prompted.prompting.nextat;
  return invoices
    .filter(isOpen)
    .reduce<Date | null>((first, { prompting }) => earlier(first, prompting.nextat), null);
}

function earlier(one: Date | null, other: Date | null): Date | null {
  if (!one || !other) return one ?? other;
  return one <= other ? one : other;
}

/**
 * Sets when the due job processes the subscription next: for its next transition, for a prompt, or at
 * once for work that has begun. Clears earlier failures.
 */
export function schedule(subscription: Subscription, now: Date): Subscription {
  const hasUnfinishedWork = subscription.mustWithdrawOffers || subscription.expiringSince !== null;
  const transitionAt = nextTransition(subscription)?.at ?? null;
  const dueat = hasUnfinishedWork ? now : earlier(transitionAt, nextPromptAt(subscription));
  return { ...subscription, dueat, failedAttempts: 0, parked: null, heldBackSince: null };
}

/** For work that is not possible yet. This is not a failure. */
export function postpone(subscription: Subscription, delayMs: number, now: Date): Subscription {
  return { ...subscription, dueat: addMs(now, delayMs) };
}

/** For a suspended business. The subscription becomes due when the business is resumed. */
export function holdBack(subscription: Subscription, now: Date): Subscription {
  const heldBackSince = subscription.heldBackSince ?? now;
  return { ...postpone(subscription, suspendedDelayMs, now), heldBackSince };
}

/** Retries a failure with a growing delay, and parks the subscription after too many. */
export function retryLater(subscription: Subscription, reason: string, now: Date): Subscription {
  const failedAttempts = subscription.failedAttempts + 1;
  if (failedAttempts >= attemptsMax) {
    return { ...subscription, failedAttempts, dueat: null, parked: { reason, at: now } };
  }
  const delayMs = Math.min(retryDelayMaxMs, retryDelayMs * 4 ** (failedAttempts - 1));
  return { ...postpone(subscription, delayMs, now), failedAttempts };
}
