import type { Fault, Result } from "@malipo/core";

type RenderResult = Result<Uint8Array, Fault>;

export interface PdfCache {
  /** The PDF of that version; made once, however many ask for it meanwhile. */
  get(version: string, make: () => Promise<RenderResult>): Promise<RenderResult>;
}

/** Keeps what was asked for last, up to a number of bytes. */
export function createPdfCache(bytesMax: number): PdfCache {
  const kept = new Map<string, Uint8Array>();
  const making = new Map<string, Promise<RenderResult>>();
  let bytes = 0;

  function keep(version: string, pdf: Uint8Array): void {
    if (pdf.length > bytesMax) return;
    kept.set(version, pdf);
    bytes += pdf.length;
    for (const [oldest, { length }] of kept) {
      if (bytes <= bytesMax) return;
      kept.delete(oldest);
      bytes -= length;
    }
  }

  async function makeNow(
    version: string,
    make: () => Promise<RenderResult>,
  ): Promise<RenderResult> {
    try {
      const made = await make();
      if (made.ok) keep(version, made.value);
      return made;
    } finally {
      making.delete(version);
    }
  }

  return {
    get: async (version, make) => {
      const known = kept.get(version);
      if (known) {
        // The last asked for is the last to go.
        kept.delete(version);
        kept.set(version, known);
        return { ok: true, value: known };
      }
      const underway = making.get(version) ?? makeNow(version, make);
      making.set(version, underway);
      return underway;
    },
  };
}
