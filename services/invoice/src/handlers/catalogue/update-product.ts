import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import { createUpdateHandler, type RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { changeProduct, productUpdated, viewProduct } from "../../domain/product.ts";

export const updateProduct = ({ products }: Deps): RouteHandler<typeof routes.updateProduct> =>
  createUpdateHandler(products, "product", viewProduct, (product, change, now) => {
    const entity = changeProduct(product, change, now);
    return ok({ entity, events: [productUpdated(entity)] });
  });
