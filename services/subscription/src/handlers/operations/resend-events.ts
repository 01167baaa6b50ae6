import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import { resendEvents, type RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";

export const resendSubscriptionEvents =
  ({ service, collections }: Deps): RouteHandler<typeof routes.resendSubscriptionEvents> =>
  async ({ body }) =>
    ok({ data: await resendEvents(collections, service.outbox, body) });
