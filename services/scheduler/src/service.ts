import { randomUUID } from "node:crypto";
import { defineService, platformConfig, serveRoutes } from "@malipo/platform";
import { startClockwork } from "./clockwork.ts";
import { handlers } from "./handlers/index.ts";
import { measureRuns } from "./run-metrics.ts";
import { openRuns } from "./runs.ts";

export const schedulerService = defineService({
  name: "scheduler",
  config: platformConfig,
  start: async (service) => {
    const runs = await openRuns(service);
    measureRuns(service, runs);
    await serveRoutes(service, handlers, { service, runs });
    startClockwork(service, runs, randomUUID());
  },
});
