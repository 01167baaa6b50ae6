import type { routes } from "@malipo/contracts";
import type { RouteHandler } from "@malipo/platform";
import { carryOut } from "../workflows/run-command.ts";
import { resume } from "../domain/lifecycle/commands.ts";
import { owedBy } from "../workflows/invoice-calls.ts";
import type { Deps } from "../deps.ts";

export const resumeSubscription =
  (deps: Deps): RouteHandler<typeof routes.resumeSubscription> =>
  async (request) =>
    carryOut(deps, request, async (subscription) => {
      const owed = await owedBy(deps, subscription, request.deadline);
      return owed.ok ? resume(subscription, owed.value, request.cause.now) : owed;
    });
