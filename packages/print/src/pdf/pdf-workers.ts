import { once } from "node:events";
import type { Worker } from "node:worker_threads";
import { err, type Fault, fault, ok, type Result, secondMs } from "@malipo/core";

export interface PdfWorkers<Print> {
  /** The caller decides how many run at once. */
  render(print: Print): Promise<Result<Uint8Array, Fault>>;
  close(): Promise<void>;
}

/** A request is answered within five seconds, so a timeout must come earlier than that. */
export const renderTimeoutMs = 4 * secondMs;

const retryAfterSeconds = 2;

/** Renders PDFs in worker threads, which are used again. */
export function startPdfWorkers<Print>(
  newWorker: () => Worker,
  timeoutMs: number = renderTimeoutMs,
): PdfWorkers<Print> {
  const idle: Worker[] = [];
  const all = new Set<Worker>();

  function startWorker(): Worker {
    const worker = newWorker();
    all.add(worker);
    worker.once("exit", () => all.delete(worker));
    // `render` handles errors while it waits for a worker. An error of an idle worker is noticed
    // by the next request, which then fails and replaces the worker.
    worker.on("error", () => undefined);
    worker.unref();
    return worker;
  }

  return {
    render: async (print) => {
      const worker = idle.pop() ?? startWorker();
      const signal = AbortSignal.timeout(timeoutMs);
      try {
        worker.postMessage(print, []);
        const [pdf] = await once(worker, "message", { signal });
        idle.push(worker);
        return ok(pdf);
      } catch (error) {
        // The worker hangs or is broken. The next job starts a new one.
        await worker.terminate();
        return err(
          signal.aborted
            ? fault("service_unavailable", { retryAfterSeconds, logText: "a PDF took too long" })
            : fault("internal_error", { logText: `no PDF: ${String(error)}` }),
        );
      }
    },
    close: async () => {
      await Promise.all([...all].map(async (worker) => worker.terminate()));
    },
  };
}
