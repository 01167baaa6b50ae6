import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import { resendEvents, type RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";

export const resendPaymentEvents =
  ({ service, collections }: Deps): RouteHandler<typeof routes.resendPaymentEvents> =>
  async ({ body }) =>
    ok({ data: await resendEvents(collections, service.outbox, body) });
