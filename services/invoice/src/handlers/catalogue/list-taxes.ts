import type { routes } from "@malipo/contracts";
import { createListHandler, type RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { viewTax } from "../../domain/tax.ts";

export const listTaxes = ({ taxes }: Deps): RouteHandler<typeof routes.listTaxes> =>
  createListHandler(taxes, viewTax);
