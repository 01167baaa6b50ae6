import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import { createUpdateHandler, type RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { changeCustomer, customerUpdated, viewCustomer } from "../../domain/customer.ts";

export const updateCustomer = ({ customers }: Deps): RouteHandler<typeof routes.updateCustomer> =>
  createUpdateHandler(customers, "customer", viewCustomer, (customer, change, now) => {
    const entity = changeCustomer(customer, change, now);
    return ok({ entity, events: [customerUpdated(entity)] });
  });
