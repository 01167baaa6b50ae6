import {
  consumeEvents,
  countParked,
  createFairQueue,
  defineService,
  openBusinessViews,
  openCodes,
  openNumbering,
  type Service,
  serveRoutes,
  sweepEvents,
} from "@malipo/platform";
import { pdfShares } from "@malipo/print";
import { invoiceConfig } from "./config.ts";
import { openCredits } from "./store/credits.ts";
import { openCustomers } from "./store/customers.ts";
import type { Deps } from "./deps.ts";
import { eventHandlers, handlers } from "./handlers/index.ts";
import { invoiceNumbers, openInvoices, parkedInvoices } from "./store/invoices.ts";
import { startInvoicePdfs } from "./pages/pdf/pdf-renderer.ts";
import { openProducts } from "./store/products.ts";
import { openTaxes } from "./store/taxes.ts";

export const invoiceService = defineService({
  name: "invoice",
  config: invoiceConfig,
  start: async (service, { PUBLIC_URL }) => {
    const deps = await openDeps(service, PUBLIC_URL);
    sweepEvents(service, deps.collections);
    countParked(service, deps.parked);
    await serveRoutes(service, handlers, deps);
    consumeEvents(service, eventHandlers, deps);
  },
});

/** Opens the stores and starts the PDF renderer. */
export async function openDeps(service: Service, publicUrl: string): Promise<Deps> {
  const [customers, products, taxes, invoices, credits] = await Promise.all([
    openCustomers(service),
    openProducts(service),
    openTaxes(service),
    openInvoices(service),
    openCredits(service),
  ]);
  const pdfRenderer = startInvoicePdfs(createFairQueue(pdfShares, service.clock));
  service.shutdown.on("connections", () => pdfRenderer.close());
  const eventful = [customers, products, taxes, invoices, credits];
  return {
    service,
    publicUrl,
    businesses: openBusinessViews(service),
    numbering: openNumbering(service, invoiceNumbers.prefix),
    codes: openCodes(service),
    customers,
    products,
    taxes,
    invoices,
    credits,
    pdfRenderer,
    collections: eventful.map(({ collection }) => collection),
    parked: [parkedInvoices(invoices)],
  };
}
