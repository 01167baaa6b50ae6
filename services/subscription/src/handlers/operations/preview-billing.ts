import type { routes } from "@malipo/contracts";
import { type Cents, centsToShillings, multiplyCents, ok, sumCents } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { billingContextOf } from "../../domain/lifecycle/change.ts";
import { previewSubscription } from "../../domain/preview.ts";

const pageMax = 200;

/** Subscriptions of suspended businesses are left out, because they would not be billed. */
export const previewBilling =
  (deps: Deps): RouteHandler<typeof routes.previewBilling> =>
  async ({ query: { at, page }, cause: { now } }) => {
    const until = new Date(at);
    const due = await deps.subscriptions.listDueUntil(until, page, pageMax);
    const businesses = await Promise.all(
      due.map(async ({ businessid }) => deps.businesses.get(businessid)),
    );
    const amounts: Cents[] = [];
    const billed = [];
    for (const [index, subscription] of due.entries()) {
      const business = businesses[index];
      if (!business) continue;
      if (!business.ok) return business;
      if (business.value.status === "suspended") continue;
      const context = billingContextOf(business.value, subscription, { now, hours: deps.hours });
      const { becomes, periods } = previewSubscription(subscription, context, until);
      if (periods.length === 0) continue;
      const amount = multiplyCents(subscription.amount, periods.length);
      amounts.push(amount);
      billed.push({
        subscriptionid: subscription.id,
        subscriptionno: subscription.subscriptionno,
        businessid: subscription.businessid,
        status: subscription.status,
        becomes,
        periods: periods.map((period) => period.toISOString()),
        amount: centsToShillings(amount),
      });
    }
    const invoices = billed.reduce((sum, { periods }) => sum + periods.length, 0);
    const total = centsToShillings(sumCents(amounts));
    const next = due.length === pageMax ? page + 1 : null;
    return ok({ data: { subscriptions: billed, invoices, total, next } });
  };
