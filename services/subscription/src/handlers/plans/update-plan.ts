import type { routes } from "@malipo/contracts";
import { err, notFound, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { resolveOrder } from "../../workflows/resolve-order.ts";
import { changePlan, viewPlan } from "../../domain/plan.ts";

export const updatePlan =
  (deps: Deps): RouteHandler<typeof routes.updatePlan> =>
  async ({ businessid, params, body, cause, deadline }) => {
    const found = await deps.plans.find(businessid, params.id);
    if (!found) return err(notFound("subscription plan"));
    const { items } = body;
    const order =
      items && (await resolveOrder(deps, businessid, { customerid: null, items }, deadline));
    if (order && !order.ok) return order;
    const changed = await deps.plans.update(businessid, params.id, cause, (plan) => {
      const decided = changePlan(plan, { ...body, items: order?.value.items }, cause.now);
      return decided.ok ? ok({ entity: decided.value, events: [] }) : decided;
    });
    if (!changed) return err(notFound("subscription plan"));
    return changed.ok ? ok({ data: viewPlan(changed.value) }) : changed;
  };
