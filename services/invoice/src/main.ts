import {
  consumeEvents,
  openBusinessViews,
  openCodes,
  openNumbering,
  runService,
  serveRoutes,
  sweepEvents,
} from "@malipo/platform";
import { invoiceConfig } from "./config.ts";
import { openCustomers } from "./customers.ts";
import type { Deps } from "./deps.ts";
import { openInvoices } from "./invoices.ts";
import { openProducts } from "./products.ts";
import { openTaxes } from "./taxes.ts";

await runService(
  process,
  "invoice",
  invoiceConfig,
  () => new Date(),
  async (service, { PUBLIC_URL }) => {
    const [customers, products, taxes, invoices] = await Promise.all([
      openCustomers(service),
      openProducts(service),
      openTaxes(service),
      openInvoices(service),
    ]);
    const collections = [customers, products, taxes, invoices].map(({ collection }) => collection);
    sweepEvents(service, collections);
    const deps: Deps = {
      service,
      publicUrl: PUBLIC_URL,
      businesses: openBusinessViews(service),
      numbering: openNumbering(service, "INV"),
      codes: openCodes(service),
      customers,
      products,
      taxes,
      invoices,
      collections,
    };
    const handlers = new URL("./handlers/", import.meta.url);
    await serveRoutes(service, handlers, deps);
    await consumeEvents(service, handlers, deps);
  },
);
