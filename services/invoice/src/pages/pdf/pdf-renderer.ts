import { startPdfRenderer, type PdfLimits, type PdfRenderer } from "@malipo/print";
import type { InvoicePrint } from "../printable-invoice.ts";

export function openInvoicePdfs(bounds?: PdfLimits): PdfRenderer<InvoicePrint> {
  return startPdfRenderer(new URL("./pdf-worker", import.meta.url), bounds);
}
