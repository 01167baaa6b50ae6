import type { routes } from "@malipo/contracts";
import type { RouteHandler } from "@malipo/platform";
import { runCommand } from "../../workflows/run-command.ts";
import { resume } from "../../domain/lifecycle/commands.ts";
import { fetchOwed } from "../../workflows/invoice-calls.ts";
import type { Deps } from "../../deps.ts";

export const resumeSubscription =
  (deps: Deps): RouteHandler<typeof routes.resumeSubscription> =>
  async (request) =>
    runCommand(deps, request, async (subscription) => {
      const owed = await fetchOwed(deps, subscription, request.deadline);
      return owed.ok ? resume(subscription, owed.value, request.cause.now) : owed;
    });
