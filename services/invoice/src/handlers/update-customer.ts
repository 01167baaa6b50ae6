import type { routes } from "@malipo/contracts";
import { err, fault, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import { changeCustomer, customerUpdated, viewCustomer } from "../customer.ts";
import type { Deps } from "../deps.ts";

export const handle =
  ({ customers }: Deps): RouteHandler<typeof routes.updateCustomer> =>
  async ({ businessid, params, body, cause }) => {
    const changed = await customers.change(businessid, params.id, cause, (customer) => {
      const entity = changeCustomer(customer, body, cause.now);
      return ok({ entity, events: [customerUpdated(entity)] });
    });
    if (!changed) return err(fault("not_found", { text: "Customer not found" }));
    return changed.ok ? ok({ data: viewCustomer(changed.value) }) : changed;
  };
