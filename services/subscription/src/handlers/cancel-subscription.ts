import type { routes } from "@malipo/contracts";
import type { RouteHandler } from "@malipo/platform";
import { carryOut } from "../workflows/run-command.ts";
import { cancel } from "../domain/lifecycle/commands.ts";
import type { Deps } from "../deps.ts";

export const cancelSubscription =
  (deps: Deps): RouteHandler<typeof routes.cancelSubscription> =>
  async (request) =>
    carryOut(deps, request, async (subscription) =>
      cancel(subscription, request.body.reason || null, request.cause.now),
    );
