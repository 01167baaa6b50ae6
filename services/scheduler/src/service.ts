import { randomUUID } from "node:crypto";
import { defineService, platformConfig, serveRoutes } from "@malipo/platform";
import { startSchedulerLoop } from "./jobs/scheduler-loop.ts";
import { handlers } from "./handlers/index.ts";
import { measureRuns } from "./jobs/run-metrics.ts";
import { openRuns } from "./store/runs.ts";

export const schedulerService = defineService({
  name: "scheduler",
  config: platformConfig,
  start: async (service) => {
    const runs = await openRuns(service);
    measureRuns(service, runs);
    await serveRoutes(service, handlers, { service, runs });
    startSchedulerLoop(service, runs, randomUUID());
  },
});
