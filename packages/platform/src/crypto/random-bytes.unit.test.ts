import { describe, expect, it } from "vitest";
import { drawRandomBytes } from "./random-bytes.ts";

describe("fewRandomBytes", () => {
  it("returns the requested number of bytes and never repeats them, across several pools", () => {
    const given = Array.from({ length: 2_000 }, () => drawRandomBytes(12));
    expect(new Set(given.map(({ length }) => length))).toEqual(new Set([12]));
    expect(new Set(given.map((bytes) => Buffer.from(bytes).toString("hex"))).size).toBe(2_000);
  });

  it("does not change bytes that it returned earlier", () => {
    const first = drawRandomBytes(8);
    const before = [...first];
    for (let calls = 0; calls < 3; calls += 1) drawRandomBytes(4_000);
    expect([...first]).toEqual(before);
  });

  it("throws when more bytes are requested than a pool holds", () => {
    expect(() => drawRandomBytes(5_000)).toThrow("at most 4096");
  });
});
