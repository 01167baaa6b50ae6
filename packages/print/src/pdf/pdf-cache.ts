import type { Fault, Result } from "@malipo/core";

type RenderResult = Result<Uint8Array, Fault>;

export interface PdfCache {
  /** Returns the PDF of that version. Concurrent calls for one version share one rendering. */
  get(version: string, render: () => Promise<RenderResult>): Promise<RenderResult>;
}

/** A least-recently-used cache, limited by bytes. Failures are not kept. */
export function createPdfCache(bytesMax: number): PdfCache {
  const cached = new Map<string, Uint8Array>();
  const rendering = new Map<string, Promise<RenderResult>>();
  let bytes = 0;

  function keep(version: string, pdf: Uint8Array): void {
    if (pdf.length > bytesMax) return;
    cached.set(version, pdf);
    bytes += pdf.length;
    for (const [oldest, { length }] of cached) {
      if (bytes <= bytesMax) return;
      cached.delete(oldest);
      bytes -= length;
    }
  }

  async function renderNow(
    version: string,
    render: () => Promise<RenderResult>,
  ): Promise<RenderResult> {
    try {
      const result = await render();
      if (result.ok) keep(version, result.value);
      return result;
    } finally {
      rendering.delete(version);
    }
  }

  return {
    get: async (version, render) => {
      const hit = cached.get(version);
      if (hit) {
        // Moved to the end of the map: the first entry is the least recently used.
        cached.delete(version);
        cached.set(version, hit);
        return { ok: true, value: hit };
      }
      const pending = rendering.get(version) ?? renderNow(version, render);
      rendering.set(version, pending);
      return pending;
    },
  };
}
