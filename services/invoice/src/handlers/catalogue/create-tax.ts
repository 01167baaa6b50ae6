import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import { newId, type RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { newTax, taxCreated, viewTax } from "../../domain/tax.ts";

export const createTax =
  ({ taxes }: Deps): RouteHandler<typeof routes.createTax> =>
  async ({ businessid, body, cause }) => {
    const draft = newTax(newId(), businessid, body, cause.now);
    const tax = await taxes.insert(draft, [taxCreated(draft)], cause);
    return ok({ data: viewTax(tax) });
  };
