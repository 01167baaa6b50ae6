import { parentPort } from "node:worker_threads";

export type DrawPdf<Print> = (print: Print) => Promise<Uint8Array>;

/** The main loop of a worker thread: draws each document that the PDF renderer sends. */
export function servePdfRequests<Print>(draw: DrawPdf<Print>): void {
  // An error ends the thread; the renderer that waits for it receives the error.
  parentPort?.on("message", (print: Print) => void answer(print));

  async function answer(print: Print): Promise<void> {
    const pdf = Uint8Array.from(await draw(print));
    parentPort?.postMessage(pdf, [pdf.buffer]);
  }
}
