import {
  consumeCallbacks,
  consumeEvents,
  countParked,
  runService,
  serveRoutes,
  sweepEvents,
} from "@malipo/platform";
import { paymentConfig } from "./config.ts";
import { openDeps } from "./open-deps.ts";
import { startReconciling } from "./reconcile.ts";
import { openCallbacks } from "./take-callbacks.ts";

await runService(
  process,
  "payment",
  paymentConfig,
  () => new Date(),
  async (service, config) => {
    const deps = await openDeps(service, config);
    sweepEvents(service, deps.collections);
    countParked(service, deps.parked);
    const handlers = new URL("./handlers/", import.meta.url);
    consumeCallbacks(service, await openCallbacks(deps));
    await consumeEvents(service, handlers, deps);
    await serveRoutes(service, handlers, deps);
    startReconciling(deps);
  },
);
