import { err, type Fault, fault, ok, type Result } from "@malipo/core";
import {
  addEvent,
  type Change,
  end,
  markPending,
  targetsOf,
  transition,
  unchanged,
} from "./change.ts";
import { type InvoiceUpdate, replaceOpenInvoices } from "./invoice-updates.ts";
import { isOpen, isOverdue } from "./open-invoices.ts";
import { boundaryAfter } from "./periods.ts";
import type { Trigger } from "./states.ts";
import type { Subscription } from "./subscription.ts";

export type Decision = Result<Change, Fault>;

/** Commands decide on a subscription with all its due transitions applied. */
function refusal({ status }: Subscription, trigger: Trigger): Fault | null {
  if (targetsOf(status, trigger).length > 0) return null;
  return fault("conflict", { text: `Subscription is ${status}` });
}

export function pause(subscription: Subscription, now: Date): Decision {
  const refused = refusal(subscription, "pause");
  if (refused) return err(refused);
  const paused = transition(unchanged(subscription), {
    trigger: "pause",
    to: "paused",
    fields: { nextbillingdate: null },
    why: "it was paused",
    asof: now,
    now,
  });
  return ok(addEvent(paused, "paused", null));
}

/** Continues at the next boundary of the billing anchor, or as pending if an invoice is overdue. */
export function resume(
  subscription: Subscription,
  owed: readonly InvoiceUpdate[],
  now: Date,
): Decision {
  const refused = refusal(subscription, "resume");
  if (refused) return err(refused);
  const invoices = replaceOpenInvoices(subscription.invoices, owed);
  const updated = unchanged({ ...subscription, invoices });
  if (invoices.some((invoice) => isOpen(invoice) && isOverdue(invoice, now))) {
    const reason = { why: "it was resumed while an invoice was overdue", asof: now, now };
    return ok(addEvent(markPending(updated, "resume", reason), "pending", reason.why));
  }
  const { billingAnchor, billingcycle } = subscription;
  const active = transition(updated, {
    trigger: "resume",
    to: "active",
    fields: { nextbillingdate: boundaryAfter(now, billingAnchor, billingcycle) },
    why: "it was resumed",
    asof: now,
    now,
  });
  return ok(addEvent(active, "resumed", null));
}

export function cancel(
  subscription: Subscription,
  cancelreason: string | null,
  now: Date,
): Decision {
  const refused = refusal(subscription, "cancel");
  if (refused) return err(refused);
  const why = cancelreason ?? "it was cancelled";
  return ok(end(unchanged(subscription), "cancel", { cancelreason, why, asof: now, now }));
}

/** Requests manual invoice n: the same one until it is closed, then the next one. */
export function requestManualInvoice(subscription: Subscription, closed: number | null): Decision {
  const refused = refusal(subscription, "generate-invoice");
  if (refused) return err(refused);
  const { n, asked } = subscription.manualInvoice;
  if (asked && closed !== n) return ok(unchanged(subscription));
  const manualInvoice = { n: closed === n ? n + 1 : n, asked: true };
  return ok(unchanged({ ...subscription, manualInvoice }));
}

/** After the end: the renewal offers that were open are cancelled, or were paid before that. */
export function finishWithdrawal(subscription: Subscription): Change {
  return unchanged({ ...subscription, mustWithdrawOffers: false });
}
