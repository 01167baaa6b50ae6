import type { routes } from "@malipo/contracts";
import { err, fault, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import { changeCustomer, customerUpdated, viewCustomer } from "../customer.ts";
import type { Deps } from "../deps.ts";

export const handle =
  ({ customers }: Deps): RouteHandler<typeof routes.updateCustomer> =>
  async ({ businessid, params, body, cause }) => {
    const found = await customers.find(businessid, params.id);
    if (!found) return err(fault("not_found", { text: "Customer not found" }));
    const changed = changeCustomer(found.entity, body, cause.now);
    await customers.save(found, changed, [customerUpdated(changed)], cause);
    return ok({ data: viewCustomer(changed) });
  };
