import {
  consumeEvents,
  openBusinessViews,
  platformConfig,
  runService,
  serveRoutes,
  sweepEvents,
} from "@malipo/platform";
import { openCustomers } from "./customers.ts";
import type { Deps } from "./deps.ts";
import { openProducts } from "./products.ts";
import { openTaxes } from "./taxes.ts";

await runService(
  process,
  "invoice",
  platformConfig,
  () => new Date(),
  async (service) => {
    const [customers, products, taxes] = await Promise.all([
      openCustomers(service),
      openProducts(service),
      openTaxes(service),
    ]);
    const collections = [customers.collection, products.collection, taxes.collection];
    sweepEvents(service, collections);
    const businesses = openBusinessViews(service);
    const deps: Deps = { service, businesses, customers, products, taxes, collections };
    const handlers = new URL("./handlers/", import.meta.url);
    await serveRoutes(service, handlers, deps);
    await consumeEvents(service, handlers, deps);
  },
);
