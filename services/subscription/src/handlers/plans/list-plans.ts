import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { summarizePlan } from "../../domain/plan.ts";

export const listPlans =
  ({ plans }: Deps): RouteHandler<typeof routes.listPlans> =>
  async ({ businessid, query }) => {
    const { limit, offset } = query;
    const { plans: found, total } = await plans.list(businessid, query);
    const page = Math.floor(offset / limit) + 1;
    const pages = Math.ceil(total / limit);
    return ok({ data: found.map(summarizePlan), paging: { total, limit, offset, page, pages } });
  };
