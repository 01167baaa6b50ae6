import { err, fault, ok } from "@malipo/core";
import { describe, expect, it } from "vitest";
import { createPdfCache } from "./pdf-cache.ts";

function counting(bytesMax: number) {
  const cache = createPdfCache(bytesMax);
  const made: string[] = [];
  const get = async (version: string, bytes = 10) =>
    cache.get(version, async () => {
      made.push(version);
      return ok(new Uint8Array(bytes));
    });
  return { cache, made, get };
}

describe("the cache of PDFs", () => {
  it("has each version made once, also for many at the same time", async () => {
    const { made, get } = counting(100);
    await Promise.all([get("a"), get("a"), get("b")]);
    await get("a");
    expect(made).toEqual(["a", "b"]);
  });

  it("is bounded by bytes, and keeps what was asked for last", async () => {
    const { made, get } = counting(30);
    for (const version of ["a", "b", "c", "a", "d", "a", "b"]) await get(version);
    expect(made).toEqual(["a", "b", "c", "d", "b"]);
  });

  it("does not keep what is larger than all it may keep", async () => {
    const { made, get } = counting(30);
    for (const version of ["a", "huge", "huge", "a"]) await get(version, version === "a" ? 10 : 31);
    expect(made).toEqual(["a", "huge", "huge"]);
  });

  it("keeps no refusal and no failure", async () => {
    const { cache, get } = counting(30);
    const refusal = err(fault("service_unavailable"));
    expect(await cache.get("a", async () => refusal)).toBe(refusal);
    await expect(
      cache.get("a", async () => {
        throw new Error("no ink");
      }),
    ).rejects.toThrow("no ink");
    expect((await get("a")).ok).toBe(true);
  });
});
