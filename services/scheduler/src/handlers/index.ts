import type { HandlersOf } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { getRun } from "./get-run.ts";
import { listJobs } from "./list-jobs.ts";
import { listRuns } from "./list-runs.ts";
import { reportSchedulerHealth } from "./report-health.ts";
import { startRun } from "./start-run.ts";

/** One handler for each route and call that the contracts give this service. */
export const handlers = {
  getRun,
  listJobs,
  listRuns,
  reportSchedulerHealth,
  startRun,
} satisfies HandlersOf<"scheduler", Deps>;
