import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import { listParked, type RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";

export const listParkedSubscriptions =
  ({ service, parked }: Deps): RouteHandler<typeof routes.listParkedSubscriptions> =>
  async () =>
    ok({ data: await listParked(service.name, parked) });
