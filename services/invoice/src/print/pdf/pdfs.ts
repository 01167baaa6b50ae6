import type { Fault, Result } from "@malipo/core";
import type { Service } from "@malipo/platform";
import type { InvoicePrint } from "../invoice-print.ts";
import { openPdfCache } from "./pdf-cache.ts";
import { openPdfWorkers } from "./pdf-workers.ts";

const cacheBytes = 32 * 1024 * 1024;

export interface Pdfs {
  /** The PDF of that version of an invoice, made or remembered. */
  of(version: string, invoice: InvoicePrint): Promise<Result<Uint8Array, Fault>>;
}

export function openPdfs({ shutdown }: Pick<Service, "shutdown">): Pdfs {
  const workers = openPdfWorkers();
  const cache = openPdfCache(cacheBytes);
  shutdown.on("connections", () => workers.close());
  return { of: (version, invoice) => cache.get(version, () => workers.make(invoice)) };
}
