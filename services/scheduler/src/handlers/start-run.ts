import type { routes } from "@malipo/contracts";
import { assert, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { viewRun } from "../domain/run.ts";

export const startRun =
  ({ runs }: Deps): RouteHandler<typeof routes.startRun> =>
  async ({ body: { job }, cause }) => {
    const run = await runs.open({ job, slot: null, missed: 0 }, cause.now);
    assert(run !== null, "a run without a slot cannot conflict with another run");
    return ok({ data: viewRun(run) });
  };
