import type { routes } from "@malipo/contracts";
import { err, notFound, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import { qrDataUri } from "@malipo/print";
import type { Deps } from "../../deps.ts";
import { payLinkUrl, viewDetails } from "../../domain/view-subscription.ts";

export const getSubscription =
  (deps: Deps): RouteHandler<typeof routes.getSubscription> =>
  async ({ businessid, params }) => {
    const { subscriptions, customers, businesses, publicUrl } = deps;
    const found = await subscriptions.find(businessid, params.id);
    if (!found) return err(notFound("subscription"));
    const { entity } = found;
    const [customer, business, qrcode] = await Promise.all([
      customers.get(businessid, entity.customerid),
      businesses.get(businessid),
      qrDataUri(payLinkUrl(entity, publicUrl)),
    ]);
    if (!customer.ok) return customer;
    if (!business.ok) return business;
    const { settings } = business.value;
    const details = { customer: customer.value, settings, publicUrl, qrcode };
    return ok({ data: viewDetails(entity, details) });
  };
