import { startPdfRenderer, type PdfLimits, type PdfRenderer } from "@malipo/print";
import type { PrintableInvoice } from "../printable-invoice.ts";

/** Starts the worker threads that render PDFs. */
export function startInvoicePdfs(limits?: PdfLimits): PdfRenderer<PrintableInvoice> {
  return startPdfRenderer(new URL("./pdf-worker", import.meta.url), limits);
}
