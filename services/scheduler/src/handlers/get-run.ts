import type { routes } from "@malipo/contracts";
import { err, notFound, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { viewRun } from "../domain/run.ts";

export const getRun =
  ({ runs }: Deps): RouteHandler<typeof routes.getRun> =>
  async ({ params }) => {
    const run = await runs.find(params.id);
    return run ? ok({ data: viewRun(run) }) : err(notFound("run"));
  };
