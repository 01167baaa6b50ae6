import { randomUUID } from "node:crypto";
import { platformConfig, runService, serveRoutes } from "@malipo/platform";
import { startClockwork } from "./clockwork.ts";
import type { Deps } from "./deps.ts";
import { measureRuns } from "./run-metrics.ts";
import { openRuns } from "./runs.ts";

await runService(
  process,
  "scheduler",
  platformConfig,
  () => new Date(),
  async (service) => {
    const runs = await openRuns(service);
    measureRuns(service, runs);
    const deps: Deps = { service, runs };
    await serveRoutes(service, new URL("./handlers/", import.meta.url), deps);
    startClockwork(service, runs, randomUUID());
  },
);
