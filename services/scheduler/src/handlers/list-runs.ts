import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { viewRun } from "../domain/run.ts";

export const listRuns =
  ({ runs }: Deps): RouteHandler<typeof routes.listRuns> =>
  async ({ query: { job, found, ...request } }) => {
    const page = await runs.page({ job, found }, request);
    return ok({ data: page.runs.map(viewRun), paging: page.paging });
  };
