import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { Fault, Result } from "@malipo/core";
import { createPdfCache } from "./pdf-cache.ts";
import { startPdfWorkers, type PdfLimits, defaultPdfLimits } from "./pdf-workers.ts";

/** The cache and two workers share the pod's memory with the service itself. */
const cacheBytes = 16 * 1024 * 1024;
/** The largest invoice, with 200 items and 500 payments, is drawn with half of it. */
const heapMaxMb = 64;
const youngHeapMaxMb = 8;

export interface PdfRenderer<Print> {
  /** Returns the PDF from the cache, or draws it. `version` must change when the content does. */
  render(version: string, print: Print): Promise<Result<Uint8Array, Fault>>;
  close(): Promise<void>;
}

/** `worker` is the file that calls `servePdfRequests`, without its extension. */
export function startPdfRenderer<Print>(
  worker: URL,
  limits: PdfLimits = defaultPdfLimits,
): PdfRenderer<Print> {
  const workers = startPdfWorkers<Print>(() => startWorker(worker), limits);
  const cache = createPdfCache(cacheBytes);
  return {
    render: (version, print) => cache.get(version, () => workers.render(print)),
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
