import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import { newId, type RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { businessCreated, newBusiness, viewBusiness } from "../../domain/business.ts";

export const createBusiness =
  ({ businesses }: Deps): RouteHandler<typeof routes.createBusiness> =>
  async ({ body, cause }) => {
    const business = newBusiness(newId(), body.name, body, cause.now);
    await businesses.insert(business, [businessCreated(business)], cause);
    return ok({ data: viewBusiness(business) });
  };
