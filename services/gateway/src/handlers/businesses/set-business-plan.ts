import type { routes } from "@malipo/contracts";
import type { RouteHandler } from "@malipo/platform";
import { setTerms } from "../../domain/business.ts";
import { changeBusiness } from "../../workflows/change-business.ts";
import type { Deps } from "../../deps.ts";

export const setBusinessPlan =
  (deps: Deps): RouteHandler<typeof routes.setBusinessPlan> =>
  async ({ params, body, cause }) =>
    changeBusiness(deps, params.id, cause, (business) => setTerms(business, body, cause.now));
