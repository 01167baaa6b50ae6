import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import { newId, type RouteHandler } from "@malipo/platform";
import { newBusiness, viewBusiness } from "../business.ts";
import type { Deps } from "../deps.ts";

export const handle =
  ({ businesses }: Deps): RouteHandler<typeof routes.createBusiness> =>
  async ({ body, cause }) => {
    const business = newBusiness(newId(), body, cause.now);
    await businesses.insert(business);
    return ok({ data: viewBusiness(business) });
  };
