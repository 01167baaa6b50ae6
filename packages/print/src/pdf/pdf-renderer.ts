import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { Fault, Result } from "@malipo/core";
import { createPdfCache } from "./pdf-cache.ts";
import { startPdfWorkers, type PdfLimits, defaultPdfLimits } from "./pdf-workers.ts";

const cacheBytes = 32 * 1024 * 1024;
const heapMaxMb = 128;

export interface PdfRenderer<Print> {
  /** The PDF of that version of what is printed, made or remembered. */
  render(version: string, print: Print): Promise<Result<Uint8Array, Fault>>;
  close(): Promise<void>;
}

/** PDFs made aside by the worker file, which is named without its ending and calls `servePdfs`. */
export function startPdfRenderer<Print>(
  worker: URL,
  bounds: PdfLimits = defaultPdfLimits,
): PdfRenderer<Print> {
  const workers = startPdfWorkers<Print>(() => startWorker(worker), bounds);
  const cache = createPdfCache(cacheBytes);
  return {
    render: (version, print) => cache.get(version, () => workers.render(print)),
    close: () => workers.close(),
  };
}

function startWorker(worker: URL): Worker {
  // Sources are run as they are, and a build beside them too.
  const extension = extname(import.meta.url);
  return new Worker(new URL(`${worker.href}${extension}`), {
    execArgv: extension === ".ts" ? ["--conditions=@malipo/source"] : [],
    resourceLimits: { maxOldGenerationSizeMb: heapMaxMb },
  });
}
