import type { routes } from "@malipo/contracts";
import { err, fault, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { viewProduct } from "../product.ts";

export const handle =
  ({ products }: Deps): RouteHandler<typeof routes.getProduct> =>
  async ({ businessid, params }) => {
    const found = await products.find(businessid, params.id);
    if (!found) return err(fault("not_found", { text: "Product not found" }));
    return ok({ data: viewProduct(found.entity) });
  };
