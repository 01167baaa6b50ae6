import type { routes } from "@malipo/contracts";
import type { RouteHandler } from "@malipo/platform";
import { runCommand } from "../../workflows/run-command.ts";
import { pause } from "../../domain/lifecycle/commands.ts";
import type { Deps } from "../../deps.ts";

export const pauseSubscription =
  (deps: Deps): RouteHandler<typeof routes.pauseSubscription> =>
  async (request) =>
    runCommand(deps, request, async (subscription) => pause(subscription, request.cause.now));
