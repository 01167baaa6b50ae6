import type { routes } from "@malipo/contracts";
import { type Cents, centsToShillings, multiplyCents, ok, sumCents } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { businessesOf, lookOf } from "../workflows/billing-context.ts";
import { previewSubscription } from "../domain/preview.ts";

const pageMax = 200;

/** Whom a suspended business would bill is left out: it would not. */
export const previewBilling =
  (deps: Deps): RouteHandler<typeof routes.previewBilling> =>
  async ({ query: { at, page }, cause: { now } }) => {
    const until = new Date(at);
    const due = await deps.subscriptions.dueUntil(until, page, pageMax);
    const businessOf = businessesOf(deps);
    const amounts: Cents[] = [];
    const found = [];
    for (const subscription of due) {
      const business = await businessOf(subscription.businessid);
      if (!business.ok) return business;
      if (business.value.status === "suspended") continue;
      const look = lookOf(deps, business.value, subscription, now);
      const { becomes, periods } = previewSubscription(subscription, look, until);
      if (periods.length === 0) continue;
      const amount = multiplyCents(subscription.amount, periods.length);
      amounts.push(amount);
      found.push({
        subscriptionid: subscription.id,
        subscriptionno: subscription.subscriptionno,
        businessid: subscription.businessid,
        status: subscription.status,
        becomes,
        periods: periods.map((period) => period.toISOString()),
        amount: centsToShillings(amount),
      });
    }
    const invoices = found.reduce((sum, { periods }) => sum + periods.length, 0);
    const total = centsToShillings(sumCents(amounts));
    const next = due.length === pageMax ? page + 1 : null;
    return ok({ data: { subscriptions: found, invoices, total, next } });
  };
