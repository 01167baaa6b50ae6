import { settle } from "./advance.ts";
import { type Change, type Look, unchanged } from "./change.ts";
import { hear, holdsUp, type InvoiceNews } from "./open-invoices.ts";
import type { Subscription } from "./subscription.ts";

/** Takes in what its invoices tell; the last debt or offer that is settled makes it active again. */
export function hearInvoices(
  subscription: Subscription,
  news: readonly InvoiceNews[],
  at: Date,
  { now }: Pick<Look, "now">,
): Change | null {
  const invoices = hear(subscription.invoices, news);
  if (invoices === subscription.invoices) return null;
  const heard = { ...subscription, invoices, updatedat: now };
  const { status, expiring, pendingsince } = heard;
  const isHeldUp = invoices.some((invoice) => holdsUp(invoice, now));
  if (status !== "pending" || expiring || isHeldUp) return unchanged(heard);
  const asof = pendingsince && pendingsince > at ? pendingsince : at;
  return settle(unchanged(heard), asof < now ? asof : now, now);
}
