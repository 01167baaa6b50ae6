import type { routes } from "@malipo/contracts";
import { err, notFound, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { retirePlan } from "../../domain/plan.ts";
import { keepUsedPlan } from "../../store/plans.ts";

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
    // A subscription that is created meanwhile looks at its plan afterwards: one of the two sees the other.
    if (!isUsed && (await subscriptions.isPlanUsed(businessid, found.entity.id))) {
      await keepUsedPlan(plans, found.entity, cause.now);
    }
    return ok({ data: undefined });
  };
