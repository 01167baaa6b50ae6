import type { FairQueue, Turn } from "@malipo/platform";
import { startPdfRenderer, type PdfRenderer } from "@malipo/print";
import type { PrintableInvoice } from "../printable-invoice.ts";

/** Draws invoices in worker threads, in the turn of their business. */
export function startInvoicePdfs(
  queue: FairQueue,
  timeoutMs?: number,
): PdfRenderer<PrintableInvoice, Turn> {
  return startPdfRenderer(new URL("./pdf-worker", import.meta.url), queue, timeoutMs);
}
