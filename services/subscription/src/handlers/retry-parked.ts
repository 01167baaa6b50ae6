import type { routes } from "@malipo/contracts";
import { err, fault, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../deps.ts";

export const handle =
  ({ subscriptions }: Deps): RouteHandler<typeof routes.retryParkedSubscriptions> =>
  async ({ body: { id }, cause }) => {
    const retried = await subscriptions.retry(id, cause.now);
    if (id !== undefined && retried === 0) {
      return err(fault("not_found", { text: "Nothing of that id is parked" }));
    }
    return ok({ data: { retried } });
  };
