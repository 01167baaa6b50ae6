import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import { newId, type RouteHandler } from "@malipo/platform";
import { customerCreated, newCustomer, viewCustomer } from "../../domain/customer.ts";
import type { Deps } from "../../deps.ts";

export const createCustomer =
  ({ customers }: Deps): RouteHandler<typeof routes.createCustomer> =>
  async ({ businessid, body, cause }) => {
    const draft = newCustomer(newId(), businessid, body, cause.now);
    const customer = await customers.insert(draft, [customerCreated(draft)], cause);
    return ok({ data: viewCustomer(customer) });
  };
