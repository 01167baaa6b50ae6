import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import { newId, type RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { resolveOrder } from "../../workflows/resolve-order.ts";
import { buildPlan, viewPlan } from "../../domain/plan.ts";

export const createPlan =
  (deps: Deps): RouteHandler<typeof routes.createPlan> =>
  async ({ businessid, body, cause, deadline }) => {
    const order = await resolveOrder(
      deps,
      businessid,
      { customerid: null, items: body.items },
      deadline,
    );
    if (!order.ok) return order;
    const plan = buildPlan(newId(), businessid, { ...body, items: order.value.items }, cause.now);
    const stored = await deps.plans.insert(plan, [], cause);
    return ok({ data: viewPlan(stored) });
  };
