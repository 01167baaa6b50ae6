import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import { viewCustomer } from "../customer.ts";
import type { Deps } from "../deps.ts";

export const handle =
  ({ customers }: Deps): RouteHandler<typeof routes.listCustomers> =>
  async ({ businessid, query }) => {
    const { entities, paging } = await customers.page(businessid, {}, query);
    return ok({ data: entities.map(viewCustomer), paging });
  };
