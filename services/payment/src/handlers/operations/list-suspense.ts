import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { viewSuspense } from "../../domain/suspense.ts";

export const listSuspense =
  ({ suspense }: Deps): RouteHandler<typeof routes.listSuspense> =>
  async ({ query }) => {
    const { entries, paging } = await suspense.page(query.status, query);
    return ok({ data: entries.map(viewSuspense), paging });
  };
