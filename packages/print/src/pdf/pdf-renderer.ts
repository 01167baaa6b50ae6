import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { Fault, Result } from "@malipo/core";
import { createPdfCache } from "./pdf-cache.ts";
import type { PdfQueue } from "./pdf-shares.ts";
import { startPdfWorkers } from "./pdf-workers.ts";

/** The cache and two workers share the pod's memory with the service itself. */
const cacheBytes = 16 * 1024 * 1024;
/** The largest invoice, with 200 items and 500 payments, is drawn with half of it. */
const heapMaxMb = 64;
const youngHeapMaxMb = 8;

export interface PdfRenderer<Print, Turn> {
  /**
   * Returns the PDF from the cache, or draws it in its turn. `version` must change when the content
   * does.
   */
  render(version: string, print: Print, turn: Turn): Promise<Result<Uint8Array, Fault>>;
  close(): Promise<void>;
}

/** `worker` is the file that calls `servePdfRequests`, without its extension. */
export function startPdfRenderer<Print, Turn>(
  worker: URL,
  queue: PdfQueue<Turn>,
  timeoutMs?: number,
): PdfRenderer<Print, Turn> {
  const workers = startPdfWorkers<Print>(() => startWorker(worker), timeoutMs);
  const cache = createPdfCache(cacheBytes);
  return {
    render: (version, print, turn) =>
      cache.get(version, () => queue.run(turn, () => workers.render(print))),
    close: () => workers.close(),
  };
}

function startWorker(worker: URL): Worker {
  // The worker runs as TypeScript when this file does, and as JavaScript after a build.
  const extension = extname(import.meta.url);
  return new Worker(new URL(`${worker.href}${extension}`), {
    execArgv: extension === ".ts" ? ["--conditions=@malipo/source"] : [],
    resourceLimits: {
      maxOldGenerationSizeMb: heapMaxMb,
      maxYoungGenerationSizeMb: youngHeapMaxMb,
    },
  });
}
