import { startPdfRenderer, type PdfLimits, type PdfRenderer } from "@malipo/print";
import type { ReceiptSheet } from "./receipt-pdf.ts";

export function openReceiptPdfs(limits?: PdfLimits): PdfRenderer<ReceiptSheet> {
  return startPdfRenderer(new URL("./pdf-worker", import.meta.url), limits);
}
