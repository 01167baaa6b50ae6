import { parentPort } from "node:worker_threads";

export type DrawPdf<Print> = (print: Print) => Promise<Uint8Array>;

/** What a worker thread of `openPdfs` does all its life. */
export function servePdfRequests<Print>(asPdf: DrawPdf<Print>): void {
  // What goes wrong here ends the thread, and whoever waits for it hears why.
  parentPort?.on("message", (print: Print) => void make(print));

  async function make(print: Print): Promise<void> {
    const pdf = Uint8Array.from(await asPdf(print));
    parentPort?.postMessage(pdf, [pdf.buffer]);
  }
}
