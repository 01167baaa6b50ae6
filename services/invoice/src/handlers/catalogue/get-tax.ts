import type { routes } from "@malipo/contracts";
import { type RouteHandler, createGetHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { viewTax } from "../../domain/tax.ts";

export const getTax = ({ taxes }: Deps): RouteHandler<typeof routes.getTax> =>
  createGetHandler(taxes, "tax", viewTax);
