import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { viewSummary } from "../../domain/view-subscription.ts";

export const listSubscriptions =
  ({ subscriptions }: Deps): RouteHandler<typeof routes.listSubscriptions> =>
  async ({ businessid, query: { status, customerid, ...page } }) => {
    const filter = {
      ...(status && { status }),
      ...(customerid && { customerid: customerid.toLowerCase() }),
    };
    const { entities, paging } = await subscriptions.page(businessid, filter, page);
    return ok({ data: entities.map(viewSummary), paging });
  };
