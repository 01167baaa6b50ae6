import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import { createUpdateHandler, type RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { changeTax, taxUpdated, viewTax } from "../../domain/tax.ts";

export const updateTax = ({ taxes }: Deps): RouteHandler<typeof routes.updateTax> =>
  createUpdateHandler(taxes, "tax", viewTax, (tax, change, now) => {
    const entity = changeTax(tax, change, now);
    return ok({ entity, events: [taxUpdated(entity)] });
  });
