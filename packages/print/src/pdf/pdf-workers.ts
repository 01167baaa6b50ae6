import { once } from "node:events";
import type { Worker } from "node:worker_threads";
import { err, type Fault, fault, ok, type Result, secondMs } from "@malipo/core";

export interface PdfWorkers<Print> {
  render(print: Print): Promise<Result<Uint8Array, Fault>>;
  close(): Promise<void>;
}

export interface PdfLimits {
  /** How many are made at once. */
  readonly workers: number;
  /** How many may wait for their turn. */
  readonly waitingMax: number;
  /** How long one may take, and how long it may wait. */
  readonly timeoutMs: number;
}

/** A request waits five seconds, and somebody must be left to read the answer. */
export const defaultPdfLimits: PdfLimits = { workers: 2, waitingMax: 16, timeoutMs: 4 * secondMs };

const retryAfterSeconds = 2;

interface RenderJob<Print> {
  readonly print: Print;
  readonly since: number;
  readonly resolve: (made: Result<Uint8Array, Fault>) => void;
}

/** Makes PDFs aside from the thread that answers: few at once, with a queue that ends. */
export function startPdfWorkers<Print>(
  newWorker: () => Worker,
  bounds: PdfLimits = defaultPdfLimits,
): PdfWorkers<Print> {
  const idle: Worker[] = [];
  const all = new Set<Worker>();
  const waiting: RenderJob<Print>[] = [];
  let busy = 0;

  function startWorker(): Worker {
    const worker = newWorker();
    all.add(worker);
    worker.once("exit", () => all.delete(worker));
    // Whoever waits for a worker hears of its errors; one that breaks while idle is found out then.
    worker.on("error", () => undefined);
    worker.unref();
    return worker;
  }

  async function work(job: RenderJob<Print>): Promise<void> {
    busy += 1;
    const worker = idle.pop() ?? startWorker();
    const signal = AbortSignal.timeout(bounds.timeoutMs);
    try {
      worker.postMessage(job.print, []);
      const [pdf] = await once(worker, "message", { signal });
      idle.push(worker);
      job.resolve(ok(pdf));
    } catch (error) {
      // It hangs or is broken; the next one gets a new one.
      await worker.terminate();
      const broken = fault("internal_error", { detail: `no PDF: ${String(error)}` });
      job.resolve(err(signal.aborted ? unavailable("took too long") : broken));
    } finally {
      busy -= 1;
      next();
    }
  }

  function next(): void {
    const job = waiting.shift();
    if (!job) return;
    if (performance.now() - job.since < bounds.timeoutMs) return void work(job);
    job.resolve(err(unavailable("waited too long")));
    next();
  }

  return {
    render: (print) =>
      new Promise((resolve) => {
        const job = { print, since: performance.now(), resolve };
        if (busy < bounds.workers) void work(job);
        else if (waiting.length < bounds.waitingMax) waiting.push(job);
        else resolve(err(unavailable("too many are waiting")));
      }),
    close: async () => {
      for (const { resolve } of waiting.splice(0)) resolve(err(unavailable("stopping")));
      await Promise.all([...all].map(async (worker) => worker.terminate()));
    },
  };
}

function unavailable(why: string): Fault {
  return fault("service_unavailable", { retryAfterSeconds, detail: `PDFs: ${why}` });
}
