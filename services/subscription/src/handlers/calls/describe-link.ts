import type { calls } from "@malipo/contracts";
import { err, parseLinkOwner, notFound, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import { fetchOwed } from "../../workflows/invoice-calls.ts";
import type { Deps } from "../../deps.ts";

/** The link of a subscription collects its oldest open invoice. */
export const describeSubscriptionLink =
  (deps: Deps): RouteHandler<typeof calls.describeSubscriptionLink> =>
  async ({ body: { code }, deadline }) => {
    const { codes, subscriptions } = deps;
    const target = parseLinkOwner(code) === "subscription" ? await codes.find(code) : null;
    const found = target && (await subscriptions.find(target.businessid, target.recordid));
    if (!found) return err(notFound("payment link"));
    const { id, businessid, customerid, title, status } = found.entity;
    const owed = await fetchOwed(deps, found.entity, deadline);
    if (!owed.ok) return owed;
    const invoiceid = owed.value[0]?.invoiceid ?? null;
    return ok({ data: { subscriptionid: id, businessid, customerid, title, status, invoiceid } });
  };
