import type { routes } from "@malipo/contracts";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { suspend } from "../../domain/business.ts";
import { changeBusiness } from "../../workflows/change-business.ts";

export const suspendBusiness =
  (deps: Deps): RouteHandler<typeof routes.suspendBusiness> =>
  async ({ params, cause }) =>
    changeBusiness(deps, params.id, cause, (business) => suspend(business, cause.now));
