import type { routes } from "@malipo/contracts";
import { err, fault, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import { viewCustomer } from "../customer.ts";
import type { Deps } from "../deps.ts";

export const handle =
  ({ customers }: Deps): RouteHandler<typeof routes.getCustomer> =>
  async ({ businessid, params }) => {
    const found = await customers.find(businessid, params.id);
    if (!found) return err(fault("not_found", { text: "Customer not found" }));
    return ok({ data: viewCustomer(found.entity) });
  };
