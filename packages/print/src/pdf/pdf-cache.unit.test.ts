import { err, fault, ok } from "@malipo/core";
import { describe, expect, it } from "vitest";
import { createPdfCache } from "./pdf-cache.ts";

function countingCache(bytesMax: number) {
  const cache = createPdfCache(bytesMax);
  const rendered: string[] = [];
  const get = async (version: string, bytes = 10) =>
    cache.get(version, async () => {
      rendered.push(version);
      return ok(new Uint8Array(bytes));
    });
  return { cache, rendered, get };
}

describe("the PDF cache", () => {
  it("renders each version once, also for concurrent calls", async () => {
    const { rendered, get } = countingCache(100);
    await Promise.all([get("a"), get("a"), get("b")]);
    await get("a");
    expect(rendered).toEqual(["a", "b"]);
  });

  it("drops the least recently used PDFs above its limit of bytes", async () => {
    const { rendered, get } = countingCache(30);
    for (const version of ["a", "b", "c", "a", "d", "a", "b"]) await get(version);
    expect(rendered).toEqual(["a", "b", "c", "d", "b"]);
  });

  it("does not keep a PDF that is larger than the whole cache", async () => {
    const { rendered, get } = countingCache(30);
    for (const version of ["a", "huge", "huge", "a"]) await get(version, version === "a" ? 10 : 31);
    expect(rendered).toEqual(["a", "huge", "huge"]);
  });

  it("keeps neither a returned fault nor a thrown error", async () => {
    const { cache, get } = countingCache(30);
    const returnedFault = err(fault("service_unavailable"));
    expect(await cache.get("a", async () => returnedFault)).toBe(returnedFault);
    await expect(
      cache.get("a", async () => {
        throw new Error("no ink");
      }),
    ).rejects.toThrow("no ink");
    expect((await get("a")).ok).toBe(true);
  });
});
