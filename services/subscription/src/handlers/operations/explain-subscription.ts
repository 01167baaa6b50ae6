import type { routes } from "@malipo/contracts";
import { err, notFound, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { explain } from "../../domain/explain.ts";

export const explainSubscription =
  ({ subscriptions }: Deps): RouteHandler<typeof routes.explainSubscription> =>
  async ({ params, cause }) => {
    const subscription = await subscriptions.findAnywhere(params.id);
    if (!subscription) return err(notFound("subscription"));
    const { id, subscriptionno, businessid, status, nextbillingdate, dueat } = subscription;
    return ok({
      data: {
        _id: id,
        subscriptionno,
        businessid,
        status,
        nextbillingdate: nextbillingdate?.toISOString() ?? null,
        dueat: dueat?.toISOString() ?? null,
        sentences: explain(subscription, cause.now),
      },
    });
  };
