import { parentPort } from "node:worker_threads";
import type { InvoicePrint } from "../invoice-print.ts";
import { invoicePdf } from "./invoice-pdf.ts";

// What goes wrong here ends the thread, and whoever waits for it hears why.
parentPort?.on("message", (invoice: InvoicePrint) => void make(invoice));

async function make(invoice: InvoicePrint): Promise<void> {
  const pdf = Uint8Array.from(await invoicePdf(invoice));
  parentPort?.postMessage(pdf, [pdf.buffer]);
}
