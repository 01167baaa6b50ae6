import { openPdfs, type PdfBounds, type Pdfs } from "@malipo/print";
import type { InvoicePrint } from "../printable-invoice.ts";

export function openInvoicePdfs(bounds?: PdfBounds): Pdfs<InvoicePrint> {
  return openPdfs(new URL("./pdf-worker", import.meta.url), bounds);
}
