import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../deps.ts";

export const handle =
  ({ service, subscriptions }: Deps): RouteHandler<typeof routes.listParkedSubscriptions> =>
  async () => {
    const parked = await subscriptions.parked();
    return ok({
      data: parked.map(({ id, businessid, tries, parked: aside }) => ({
        service: service.name,
        _id: id,
        businessid,
        reason: aside?.reason ?? "",
        tries,
        at: (aside?.at ?? service.clock()).toISOString(),
      })),
    });
  };
