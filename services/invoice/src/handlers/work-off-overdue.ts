import type { calls } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { workOffOverdue } from "../work-off-overdue.ts";

export const handle =
  (deps: Deps): RouteHandler<typeof calls.workOffOverdue> =>
  async ({ body, cause }) =>
    ok({ data: await workOffOverdue(deps, body, cause) });
