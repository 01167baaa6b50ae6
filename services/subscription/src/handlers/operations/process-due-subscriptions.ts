import type { calls } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { processDueBatch } from "../../jobs/process-due.ts";

export const processDueSubscriptions =
  (deps: Deps): RouteHandler<typeof calls.processDueSubscriptions> =>
  async ({ body, cause: { now }, deadline }) => {
    const step = { ...body, now, until: new Date(body.until), deadline };
    return ok({ data: await processDueBatch(deps, step) });
  };
