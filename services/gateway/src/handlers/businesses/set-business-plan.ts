import type { routes } from "@malipo/contracts";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { setPlan } from "../../domain/business.ts";
import { changeBusiness } from "../../workflows/change-business.ts";

export const setBusinessPlan =
  (deps: Deps): RouteHandler<typeof routes.setBusinessPlan> =>
  async ({ params, body, cause }) =>
    changeBusiness(deps, params.id, cause, (business) => setPlan(business, body, cause.now));
