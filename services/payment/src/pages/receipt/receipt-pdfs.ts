import type { FairQueue, Turn } from "@malipo/platform";
import { startPdfRenderer, type PdfRenderer } from "@malipo/print";
import type { ReceiptSheet } from "./receipt-pdf.ts";

/** Draws receipts in worker threads, in the turn of their business. */
export function openReceiptPdfs(
  queue: FairQueue,
  timeoutMs?: number,
): PdfRenderer<ReceiptSheet, Turn> {
  return startPdfRenderer(new URL("./pdf-worker", import.meta.url), queue, timeoutMs);
}
