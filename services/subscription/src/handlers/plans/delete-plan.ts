import type { routes } from "@malipo/contracts";
import { err, notFound, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { retirePlan } from "../../domain/plan.ts";

export const deletePlan =
  ({ plans, subscriptions }: Deps): RouteHandler<typeof routes.deletePlan> =>
  async ({ businessid, params, cause }) => {
    const { id } = params;
    const found = await plans.find(businessid, id);
    if (!found) return err(notFound("subscription plan"));
    const isUsed = await subscriptions.isPlanUsed(businessid, found.entity.id);
    await plans.update(businessid, id, cause, (plan) =>
      ok({ entity: retirePlan(plan, isUsed, cause.now), events: [] }),
    );
    return ok({ data: undefined });
  };
