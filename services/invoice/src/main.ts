import { platformConfig, runService, serveRoutes, sweepEvents } from "@malipo/platform";
import { openCustomers } from "./customers.ts";
import type { Deps } from "./deps.ts";
import { openProducts } from "./products.ts";

await runService(
  process,
  "invoice",
  platformConfig,
  () => new Date(),
  async (service) => {
    const [customers, products] = await Promise.all([
      openCustomers(service),
      openProducts(service),
    ]);
    const collections = [customers.collection, products.collection];
    sweepEvents(service, collections);
    const deps: Deps = { service, customers, products, collections };
    await serveRoutes(service, new URL("./handlers/", import.meta.url), deps);
  },
);
