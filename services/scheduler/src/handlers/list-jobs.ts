import type { routes } from "@malipo/contracts";
import { ok, secondMs } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { jobs } from "../domain/jobs.ts";
import { viewRun } from "../domain/run.ts";

export const listJobs =
  ({ runs }: Deps): RouteHandler<typeof routes.listJobs> =>
  async () => {
    const data = await Promise.all(
      jobs.map(async ({ name, about, everyMs, limit, concurrency }) => {
        const last = await runs.newest(name);
        const lastrun = last && viewRun(last);
        return { name, about, everyseconds: everyMs / secondMs, limit, concurrency, lastrun };
      }),
    );
    return ok({ data });
  };
