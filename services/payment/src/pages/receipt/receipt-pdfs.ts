import { openPdfs, type PdfBounds, type Pdfs } from "@malipo/print";
import type { ReceiptSheet } from "./receipt-pdf.ts";

export function openReceiptPdfs(bounds?: PdfBounds): Pdfs<ReceiptSheet> {
  return openPdfs(new URL("./pdf-worker", import.meta.url), bounds);
}
