import { consumeEvents, countParked, runService, serveRoutes, sweepEvents } from "@malipo/platform";
import { invoiceConfig } from "./config.ts";
import { openDeps } from "./open-deps.ts";

await runService(
  process,
  "invoice",
  invoiceConfig,
  () => new Date(),
  async (service, { PUBLIC_URL }) => {
    const deps = await openDeps(service, PUBLIC_URL);
    sweepEvents(service, deps.collections);
    countParked(service, deps.parked);
    const handlers = new URL("./handlers/", import.meta.url);
    await serveRoutes(service, handlers, deps);
    await consumeEvents(service, handlers, deps);
  },
);
