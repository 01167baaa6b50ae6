import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { Fault, Result } from "@malipo/core";
import { openPdfCache } from "./pdf-cache.ts";
import { openPdfWorkers, type PdfBounds, usualBounds } from "./pdf-workers.ts";

const cacheBytes = 32 * 1024 * 1024;
const heapMaxMb = 128;

export interface Pdfs<Print> {
  /** The PDF of that version of what is printed, made or remembered. */
  of(version: string, print: Print): Promise<Result<Uint8Array, Fault>>;
  close(): Promise<void>;
}

/** PDFs made aside by the worker file, which is named without its ending and calls `servePdfs`. */
export function openPdfs<Print>(worker: URL, bounds: PdfBounds = usualBounds): Pdfs<Print> {
  const workers = openPdfWorkers<Print>(() => startWorker(worker), bounds);
  const cache = openPdfCache(cacheBytes);
  return {
    of: (version, print) => cache.get(version, () => workers.make(print)),
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
