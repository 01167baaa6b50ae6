import type { routes } from "@malipo/contracts";
import { listRecords, type RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { viewProduct } from "../../domain/product.ts";

export const listProducts = ({ products }: Deps): RouteHandler<typeof routes.listProducts> =>
  listRecords(products, viewProduct);
