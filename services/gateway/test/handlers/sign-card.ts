import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { cardRoutes } from "../page-contract.ts";

export const handle =
  (): RouteHandler<typeof cardRoutes.signCard> =>
  async ({ body }) =>
    ok({ data: body });
