import type { routes } from "@malipo/contracts";
import { type RouteHandler, showRecord } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { viewInvoice } from "../../domain/invoice/view-invoice.ts";

export const getInvoice = ({ invoices, publicUrl }: Deps): RouteHandler<typeof routes.getInvoice> =>
  showRecord(invoices, "invoice", (invoice) => viewInvoice(invoice, publicUrl));
