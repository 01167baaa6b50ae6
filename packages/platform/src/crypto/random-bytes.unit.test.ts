import { describe, expect, it } from "vitest";
import { fewRandomBytes } from "./random-bytes.ts";

describe("a few random bytes", () => {
  it("are as many as asked for and never the same, however often the supply is drawn anew", () => {
    const given = Array.from({ length: 2_000 }, () => fewRandomBytes(12));
    expect(new Set(given.map(({ length }) => length))).toEqual(new Set([12]));
    expect(new Set(given.map((bytes) => Buffer.from(bytes).toString("hex"))).size).toBe(2_000);
  });

  it("stay as they were given out", () => {
    const first = fewRandomBytes(8);
    const before = [...first];
    for (let drawn = 0; drawn < 3; drawn += 1) fewRandomBytes(4_000);
    expect([...first]).toEqual(before);
  });

  it("are not more than the supply", () => {
    expect(() => fewRandomBytes(5_000)).toThrow("at most 4096");
  });
});
