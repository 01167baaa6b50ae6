import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { viewMethod } from "../../domain/payment-method.ts";

export const listPaymentMethods =
  ({ methods }: Deps): RouteHandler<typeof routes.listPaymentMethods> =>
  async ({ businessid, query }) => {
    const defaultMethod = await methods.findDefault(businessid);
    const { entities, paging } = await methods.page(businessid, { deletedat: null }, query);
    return ok({
      data: entities.map((method) => viewMethod(method, defaultMethod?.id ?? null)),
      paging,
    });
  };
