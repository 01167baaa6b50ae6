import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutToJsonBytes } from "./json-size.ts";

const jsonBytes = (text: string) => new TextEncoder().encode(JSON.stringify(text)).length - 2;

describe("cutToJsonBytes", () => {
  it("keeps the longest beginning that fits, and no half of a character", () => {
    const texts = fc.string({
      unit: fc.oneof(
        fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
        fc.constantFrom("\u0000", "\u001f", "\n", '"', "\\", "\u007f", "é", "ኢ", "😀", "\ud800"),
      ),
      maxLength: 30,
    });
    fc.assert(
      fc.property(texts, fc.nat(100), (text, max) => {
        const cut = cutToJsonBytes(text, max);
        expect(text.startsWith(cut)).toBe(true);
        expect(jsonBytes(cut)).toBeLessThanOrEqual(max);
        const [next = ""] = text.slice(cut.length);
        expect(next === "" || jsonBytes(cut + next) > max).toBe(true);
      }),
    );
  });
});
