import type { routes } from "@malipo/contracts";
import { createListHandler, type RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { viewProduct } from "../../domain/product.ts";

export const listProducts = ({ products }: Deps): RouteHandler<typeof routes.listProducts> =>
  createListHandler(products, viewProduct);
