import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";

const lowPriority = 5;

export type DrawPdf<Print> = (print: Print) => Promise<Uint8Array>;

/** The main loop of a worker thread: draws each document that the PDF renderer sends. */
export function servePdfRequests<Print>(draw: DrawPdf<Print>): void {
  // On Linux the priority is that of this thread alone. A PDF takes no time of the processor that
  // the thread that answers requests wants.
  if (process.platform === "linux") setPriority(lowPriority);
  // An error ends the thread; the renderer that waits for it receives the error.
  parentPort?.on("message", (print: Print) => void answer(print));

  async function answer(print: Print): Promise<void> {
    const pdf = Uint8Array.from(await draw(print));
    parentPort?.postMessage(pdf, [pdf.buffer]);
  }
}
