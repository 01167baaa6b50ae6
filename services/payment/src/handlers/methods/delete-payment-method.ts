import type { routes } from "@malipo/contracts";
import { err, notFound, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { viewMethod } from "../../domain/payment-method.ts";

export const deletePaymentMethod =
  ({ methods }: Deps): RouteHandler<typeof routes.deletePaymentMethod> =>
  async ({ businessid, params, cause }) => {
    const changed = await methods.update(businessid, params.id, cause, (method) =>
      method.deletedat
        ? err(notFound("payment method"))
        : ok({ entity: { ...method, deletedat: cause.now, updatedat: cause.now }, events: [] }),
    );
    if (!changed) return err(notFound("payment method"));
    return changed.ok ? ok({ data: viewMethod(changed.value, null) }) : changed;
  };
