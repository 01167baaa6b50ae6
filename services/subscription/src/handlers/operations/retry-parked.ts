import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import { retryParked, type RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";

export const retryParkedSubscriptions =
  ({ parked }: Deps): RouteHandler<typeof routes.retryParkedSubscriptions> =>
  async ({ body: { id }, cause }) =>
    ok({ data: { retried: await retryParked(parked, id, cause.now) } });
