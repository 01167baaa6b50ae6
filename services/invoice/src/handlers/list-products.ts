import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { viewProduct } from "../product.ts";

export const handle =
  ({ products }: Deps): RouteHandler<typeof routes.listProducts> =>
  async ({ businessid, query }) => {
    const { entities, paging } = await products.page(businessid, {}, query);
    return ok({ data: entities.map(viewProduct), paging });
  };
