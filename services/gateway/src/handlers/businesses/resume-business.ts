import type { routes } from "@malipo/contracts";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { resume } from "../../domain/business.ts";
import { changeBusiness } from "../../workflows/change-business.ts";

export const resumeBusiness =
  (deps: Deps): RouteHandler<typeof routes.resumeBusiness> =>
  async ({ params, cause }) =>
    changeBusiness(deps, params.id, cause, (business) => resume(business, cause.now));
