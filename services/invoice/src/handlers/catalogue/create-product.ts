import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import { newId, type RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { newProduct, productCreated, viewProduct } from "../../domain/product.ts";

export const createProduct =
  ({ products }: Deps): RouteHandler<typeof routes.createProduct> =>
  async ({ businessid, body, cause }) => {
    const draft = newProduct(newId(), businessid, body, cause.now);
    const product = await products.insert(draft, [productCreated(draft)], cause);
    return ok({ data: viewProduct(product) });
  };
