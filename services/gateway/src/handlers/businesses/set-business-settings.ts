import type { routes } from "@malipo/contracts";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { setSettings } from "../../domain/business.ts";
import { changeBusiness } from "../../workflows/change-business.ts";

export const setBusinessSettings =
  (deps: Deps): RouteHandler<typeof routes.setBusinessSettings> =>
  async ({ params, body, cause }) =>
    changeBusiness(deps, params.id, cause, (business) => setSettings(business, body, cause.now));
