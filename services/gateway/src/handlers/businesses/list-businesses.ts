import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { viewBusiness } from "../../domain/business.ts";

export const listBusinesses =
  ({ businesses }: Deps): RouteHandler<typeof routes.listBusinesses> =>
  async ({ query }) => {
    const { entities, paging } = await businesses.list(query);
    return ok({ data: entities.map(viewBusiness), paging });
  };
