import { once } from "node:events";
import type { Worker } from "node:worker_threads";
import { err, type Fault, fault, ok, type Result, secondMs } from "@malipo/core";

export interface PdfWorkers<Print> {
  render(print: Print): Promise<Result<Uint8Array, Fault>>;
  close(): Promise<void>;
}

export interface PdfLimits {
  /** How many PDFs are rendered at once. */
  readonly workers: number;
  /** How many requests may wait for a worker. */
  readonly waitingMax: number;
  /** The limit for rendering, and the same limit for waiting. */
  readonly timeoutMs: number;
}

/** A request is answered within five seconds, so a timeout must come earlier than that. */
export const defaultPdfLimits: PdfLimits = { workers: 2, waitingMax: 16, timeoutMs: 4 * secondMs };

const retryAfterSeconds = 2;

interface RenderJob<Print> {
  readonly print: Print;
  readonly queuedAtMs: number;
  readonly resolve: (result: Result<Uint8Array, Fault>) => void;
}

/** Renders PDFs in worker threads, a few at once, with a bounded queue. */
export function startPdfWorkers<Print>(
  newWorker: () => Worker,
  limits: PdfLimits = defaultPdfLimits,
): PdfWorkers<Print> {
  const idle: Worker[] = [];
  const all = new Set<Worker>();
  const waiting: RenderJob<Print>[] = [];
  let busy = 0;

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

  async function runJob(job: RenderJob<Print>): Promise<void> {
    busy += 1;
    const worker = idle.pop() ?? startWorker();
    const signal = AbortSignal.timeout(limits.timeoutMs);
    try {
      worker.postMessage(job.print, []);
      const [pdf] = await once(worker, "message", { signal });
      idle.push(worker);
      job.resolve(ok(pdf));
    } catch (error) {
      // The worker hangs or is broken. The next job starts a new one.
      await worker.terminate();
      const broken = fault("internal_error", { logText: `no PDF: ${String(error)}` });
      job.resolve(err(signal.aborted ? unavailable("took too long") : broken));
    } finally {
      busy -= 1;
      startNext();
    }
  }

  function startNext(): void {
    const job = waiting.shift();
    if (!job) return;
    if (performance.now() - job.queuedAtMs < limits.timeoutMs) return void runJob(job);
    job.resolve(err(unavailable("waited too long")));
    startNext();
  }

  return {
    render: (print) =>
      new Promise((resolve) => {
        const job = { print, queuedAtMs: performance.now(), resolve };
        if (busy < limits.workers) void runJob(job);
        else if (waiting.length < limits.waitingMax) waiting.push(job);
        else resolve(err(unavailable("too many are waiting")));
      }),
    close: async () => {
      for (const { resolve } of waiting.splice(0)) resolve(err(unavailable("stopping")));
      await Promise.all([...all].map(async (worker) => worker.terminate()));
    },
  };
}

function unavailable(reason: string): Fault {
  return fault("service_unavailable", { retryAfterSeconds, logText: `PDFs: ${reason}` });
}
