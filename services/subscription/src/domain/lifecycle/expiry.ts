import { addMs, assert, type BillingCycle, dayMs, hourMs } from "@malipo/core";
import { type Change, end, reactivate, unchanged } from "./change.ts";
import { addHistory } from "./history.ts";
import { blocksReactivation, closeInvoice, isOpen } from "./open-invoices.ts";
import type { Subscription } from "./subscription.ts";

/** Delay before an expiry is tried again that a payment in progress has prevented. */
const expiryRetryDelayMs = hourMs;

/** Days after which a pending subscription expires. */
function pendingDaysMax(cycle: BillingCycle): number {
  return cycle === "weekly" ? 14 : 30;
}

/** The date on which a pending subscription expires. */
export function expiryOf({
  pendingsince,
  expiryRetryAt,
  updatedat,
  billingcycle,
}: Subscription): Date {
  if (expiryRetryAt) return expiryRetryAt;
  return addMs(pendingsince ?? updatedat, pendingDaysMax(billingcycle) * dayMs);
}

/** The open invoices are cancelled before the subscription expires. Without any it is active again. */
export function beginExpiry(change: Change, at: Date, now: Date): Change {
  const { entity } = change;
  return entity.invoices.some((invoice) => blocksReactivation(invoice, now))
    ? { ...change, entity: { ...entity, expiringSince: at, updatedat: now } }
    : reactivate(change, now, now);
}

/** Finishes an expiry after the open invoices are cancelled. */
export function expire(subscription: Subscription, now: Date): Change {
  const { expiringSince } = subscription;
  assert(expiringSince !== null, "an expiry has begun");
  const invoices = subscription.invoices.map((invoice) =>
    isOpen(invoice) ? closeInvoice(invoice) : invoice,
  );
  const reason = { why: "it waited too long for a payment", asof: expiringSince, now };
  return end(unchanged({ ...subscription, invoices }), "pending-too-long", reason);
}

/** An invoice is paid or being paid, so the subscription stays pending and expiry is tried later. */
export function refuseExpiry(subscription: Subscription, why: string, now: Date): Change {
  const history = addHistory(subscription.history, { what: "expiry-refused", why }, now, now);
  const expiryRetryAt = addMs(now, expiryRetryDelayMs);
  return unchanged({
    ...subscription,
    expiringSince: null,
    expiryRetryAt,
    history,
    updatedat: now,
  });
}
