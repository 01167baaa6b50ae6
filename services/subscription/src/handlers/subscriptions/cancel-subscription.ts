import type { routes } from "@malipo/contracts";
import type { RouteHandler } from "@malipo/platform";
import { runCommand } from "../../workflows/run-command.ts";
import { cancel } from "../../domain/lifecycle/commands.ts";
import type { Deps } from "../../deps.ts";

export const cancelSubscription =
  (deps: Deps): RouteHandler<typeof routes.cancelSubscription> =>
  async (request) =>
    runCommand(deps, request, async (subscription) =>
      cancel(subscription, request.body.reason || null, request.cause.now),
    );
