import { settle } from "../domain/lifecycle/advance.ts";
import { type Change, type Look, unchanged } from "../domain/lifecycle/change.ts";
import { firstPrompts, isUntried } from "../domain/dunning/prompt-schedule.ts";
import {
  hear,
  holdsUp,
  type InvoiceNews,
  isOpen,
  keyOf,
} from "../domain/lifecycle/open-invoices.ts";
import type { Subscription } from "../domain/lifecycle/subscription.ts";

/** Takes in what its invoices tell; the last debt or offer that is settled makes it active again. */
export function hearInvoices(
  subscription: Subscription,
  news: readonly InvoiceNews[],
  at: Date,
  { now, hours }: Pick<Look, "now" | "hours">,
): Change | null {
  // While they are being cancelled it has to remember which; what was paid meanwhile refuses that.
  if (subscription.expiring) return null;
  const invoices = hear(
    subscription.invoices,
    news.filter((one) => isNew(subscription, one)),
  );
  if (invoices === subscription.invoices) return null;
  const heard = firstPrompts({ ...subscription, invoices, updatedat: now }, now, hours);
  const { status, pendingsince, enddate } = heard;
  const since = pendingsince && pendingsince > at ? pendingsince : at;
  const asof = since < now ? since : now;
  const isHeldUp = invoices.some((invoice) => holdsUp(invoice, now));
  const isOver = enddate !== null && enddate <= asof;
  return status !== "pending" || isHeldUp || isOver
    ? unchanged(heard)
    : settle(unchanged(heard), asof, now);
}

/** That an invoice is as it was billed is worth a write only where its customer is to be prompted. */
function isNew({ invoices, autorenew }: Subscription, one: InvoiceNews): boolean {
  const known = invoices.find((invoice) => keyOf(invoice) === keyOf(one));
  if (!known || (autorenew && isOpen(known) && isUntried(known.prompting))) return true;
  return known.state !== one.state || known.duedate.getTime() !== one.duedate.getTime();
}
