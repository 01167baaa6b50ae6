import type { routes } from "@malipo/contracts";
import { err, notFound, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { viewPlan } from "../../domain/plan.ts";

export const getPlan =
  ({ plans }: Deps): RouteHandler<typeof routes.getPlan> =>
  async ({ businessid, params }) => {
    const found = await plans.find(businessid, params.id);
    return found ? ok({ data: viewPlan(found.entity) }) : err(notFound("subscription plan"));
  };
