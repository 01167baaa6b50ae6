import type { calls } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { processOverdueBatch } from "../../jobs/process-overdue.ts";

export const processOverdueInvoices =
  (deps: Deps): RouteHandler<typeof calls.processOverdueInvoices> =>
  async ({ body, cause }) =>
    ok({ data: await processOverdueBatch(deps, body, cause) });
