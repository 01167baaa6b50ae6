import type { routes } from "@malipo/contracts";
import { err, notFound, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { viewMethod } from "../../domain/payment-method.ts";

export const getPaymentMethod =
  ({ methods }: Deps): RouteHandler<typeof routes.getPaymentMethod> =>
  async ({ businessid, params }) => {
    const found = await methods.find(businessid, params.id);
    if (!found || found.entity.deletedat) return err(notFound("payment method"));
    const defaultMethod = await methods.findDefault(businessid);
    return ok({ data: viewMethod(found.entity, defaultMethod?.id ?? null) });
  };
