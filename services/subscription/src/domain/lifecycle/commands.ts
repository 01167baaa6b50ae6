import { err, type Fault, fault, ok, type Result } from "@malipo/core";
import { wait } from "./advance.ts";
import { become, type Change, finish, tell, unchanged } from "./change.ts";
import { agreeWith, type InvoiceNews, isOpen, isOverdue } from "./open-invoices.ts";
import { boundaryAfter } from "./periods.ts";
import { allows, type Trigger } from "./states.ts";
import type { Subscription } from "./subscription.ts";

export type Decision = Result<Change, Fault>;

/** Every command finds the subscription with all its due moments applied. */
function refusal({ status }: Subscription, trigger: Trigger): Fault | null {
  if (allows(status, trigger)) return null;
  return fault("conflict", { text: `Subscription is ${status}` });
}

export function pause(subscription: Subscription, now: Date): Decision {
  const refused = refusal(subscription, "pause");
  if (refused) return err(refused);
  const reason = { why: "it was paused", asof: now, now };
  const fields = { nextbillingdate: null };
  return ok(tell(become(unchanged(subscription), "paused", fields, reason), "paused", null));
}

/** Back into the old rhythm; what the customer owes by now comes first. */
export function resume(
  subscription: Subscription,
  owed: readonly InvoiceNews[],
  now: Date,
): Decision {
  const refused = refusal(subscription, "resume");
  if (refused) return err(refused);
  const invoices = agreeWith(subscription.invoices, owed);
  const known = unchanged({ ...subscription, invoices });
  if (invoices.some((invoice) => isOpen(invoice) && isOverdue(invoice, now))) {
    const reason = { why: "it was resumed while an invoice was overdue", asof: now, now };
    return ok(wait(known, reason));
  }
  const { rhythm, billingcycle } = subscription;
  const fields = { nextbillingdate: boundaryAfter(now, rhythm, billingcycle) };
  const reason = { why: "it was resumed", asof: now, now };
  return ok(tell(become(known, "active", fields, reason), "resumed", null));
}

export function cancel(
  subscription: Subscription,
  cancelreason: string | null,
  now: Date,
): Decision {
  const refused = refusal(subscription, "cancel");
  if (refused) return err(refused);
  const reason = { why: cancelreason ?? "it was cancelled", asof: now, now };
  return ok(finish(unchanged(subscription), "cancelled", { cancelreason }, reason));
}

/** Asks for invoice n by hand; the same one until it is closed, and then the next. */
export function askByHand(subscription: Subscription, closed: number | null): Decision {
  const refused = refusal(subscription, "invoice-by-hand");
  if (refused) return err(refused);
  const { n, asked } = subscription.byhand;
  if (asked && closed !== n) return ok(unchanged(subscription));
  return ok(unchanged({ ...subscription, byhand: { n: closed === n ? n + 1 : n, asked: true } }));
}

/** The offers that outlived it are taken back, or were paid before they could be. */
export function withdrawn(subscription: Subscription): Change {
  return unchanged({ ...subscription, withdrawing: false });
}
