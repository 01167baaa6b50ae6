import type { routes } from "@malipo/contracts";
import { type RouteHandler, createGetHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { viewProduct } from "../../domain/product.ts";

export const getProduct = ({ products }: Deps): RouteHandler<typeof routes.getProduct> =>
  createGetHandler(products, "product", viewProduct);
