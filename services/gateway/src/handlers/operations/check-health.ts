import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { healthFindings } from "../../domain/health/findings.ts";
import { collectHealthFacts } from "../../workflows/collect-health-facts.ts";

export const checkHealth =
  ({ service }: Deps): RouteHandler<typeof routes.checkHealth> =>
  async () => {
    const facts = await collectHealthFacts(service);
    return ok({ data: { at: facts.at.toISOString(), findings: healthFindings(facts) } });
  };
