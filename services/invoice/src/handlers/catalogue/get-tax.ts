import type { routes } from "@malipo/contracts";
import { type RouteHandler, showRecord } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { viewTax } from "../../domain/tax.ts";

export const getTax = ({ taxes }: Deps): RouteHandler<typeof routes.getTax> =>
  showRecord(taxes, "tax", viewTax);
