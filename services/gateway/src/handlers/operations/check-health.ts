import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { examine } from "../../workflows/collect-health-facts.ts";
import { judge } from "../../domain/health/findings.ts";

export const checkHealth =
  ({ service }: Deps): RouteHandler<typeof routes.checkHealth> =>
  async () => {
    const facts = await examine(service);
    return ok({ data: { at: facts.at.toISOString(), findings: judge(facts) } });
  };
