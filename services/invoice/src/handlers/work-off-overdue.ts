import type { calls } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { processOverdueInvoices } from "../jobs/process-overdue.ts";

export const workOffOverdue =
  (deps: Deps): RouteHandler<typeof calls.workOffOverdue> =>
  async ({ body, cause }) =>
    ok({ data: await processOverdueInvoices(deps, body, cause) });
