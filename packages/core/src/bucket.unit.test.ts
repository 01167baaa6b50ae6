import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bucketCount, bucketOf } from "./id.ts";

describe("bucketOf", () => {
  it("returns the same bucket for the same id, and one that exists", () => {
    const id = fc.stringMatching(/^[0-9a-f]{24}$/);
    fc.assert(
      fc.property(id, (text) => {
        expect(bucketOf(text)).toBe(bucketOf(text));
        expect(bucketOf(text)).toBeGreaterThanOrEqual(0);
        expect(bucketOf(text)).toBeLessThan(bucketCount);
      }),
    );
  });

  it("spreads consecutive ids over all buckets", () => {
    const ids = Array.from({ length: 256 }, (_, index) => index.toString(16).padStart(24, "0"));
    expect(new Set(ids.map(bucketOf)).size).toBe(bucketCount);
  });
});
