import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import { newId, type RouteHandler } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { lookUp } from "../workflows/resolve-order.ts";
import { newPlan, viewPlan } from "../domain/plan.ts";

export const createPlan =
  (deps: Deps): RouteHandler<typeof routes.createPlan> =>
  async ({ businessid, body, cause, deadline }) => {
    const order = await lookUp(deps, businessid, { customerid: null, items: body.items }, deadline);
    if (!order.ok) return order;
    const draft = newPlan(newId(), businessid, { ...body, items: order.value.items }, cause.now);
    const plan = await deps.plans.insert(draft, [], cause);
    return ok({ data: viewPlan(plan) });
  };
