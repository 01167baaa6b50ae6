import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { extractQueryWords, extractSearchWords } from "./search-words.ts";

/** Any text, mostly of common scripts. */
const anyText = (maxLength: number) =>
  fc
    .array(fc.oneof(fc.nat(0x2fff), fc.nat(0x10ffff)), { maxLength })
    .map((codePoints) => String.fromCodePoint(...codePoints));

const matches = (query: string, words: readonly string[]) =>
  extractQueryWords(query).every((word) => words.includes(word));

describe("search words", () => {
  const words = extractSearchWords({
    numbers: ["INV-000123", null],
    texts: ["Invoice for Asha Wanjikũ", "Pay-as-you-go, 2kg; ÉTÉ ﬁne", null],
  });

  it("are the first forty of a longer text", () => {
    const many = Array.from({ length: 60 }, (_, word) => `w${word}`);
    expect(extractSearchWords({ texts: [many.join(" "), "late"] })).toEqual(many.slice(0, 40));
  });

  it("match a Greek sigma in any of its forms", () => {
    expect(matches("ϲ σ ς Σ", extractSearchWords({ texts: ["Ϲ"] }))).toBe(true);
  });

  it("are made of texts without numbers, and of numbers without digits", () => {
    expect(extractSearchWords({ texts: ["Asha"] })).toEqual(["asha"]);
    expect(extractSearchWords({ numbers: ["DRAFT"], texts: [] })).toEqual(["draft", "draf", "dra"]);
  });

  it.each([
    "asha",
    "ASHA invoice",
    "wanjikũ",
    "wanjiku\u0303",
    "pay",
    "as go",
    "2KG",
    "été",
    "fine",
    "INV-000123",
    "inv-0001",
    "INV-",
    "INV",
    "123",
    "000123",
    "asha, inv-000",
  ])("match the query %j", (query) => expect(matches(query, words)).toBe(true));

  it.each(["ash", "asha mwangi", "wanjiku", "inv-000124", "in", "12", "23", "kg"])(
    "do not match the query %j",
    (query) => expect(matches(query, words)).toBe(false),
  );

  it("match a phone number with or without its country code", () => {
    const phone = extractSearchWords({ numbers: ["254712345678", "712345678"], texts: [] });
    for (const query of ["0712345678", "0712", "254712", "712345"]) {
      expect(matches(query, phone)).toBe(true);
    }
  });

  it("are empty for a text without letters and digits", () => {
    expect(extractQueryWords(" ?!… 🎉 \u202e\u0000\ud800 - ")).toEqual([]);
    expect(extractSearchWords({ texts: ["", null, "—"] })).toEqual([]);
  });

  it("of a query are unique and at most eight", () => {
    expect(extractQueryWords("a Tea for a TEA")).toEqual(["a", "tea", "for"]);
    expect(extractQueryWords("a b c d e f g h i j")).toHaveLength(8);
  });

  it("never exceed forty words of forty characters, for any text", () => {
    fc.assert(
      fc.property(anyText(1_000), anyText(1_000), (number, text) => {
        const kept = extractSearchWords({ numbers: [number], texts: [text] });
        expect(kept.length).toBeLessThanOrEqual(40);
        expect(extractQueryWords(text).length).toBeLessThanOrEqual(8);
        for (const word of kept) {
          expect(Array.from(word).length).toBeLessThanOrEqual(40);
          expect(word.isWellFormed()).toBe(true);
        }
      }),
    );
  });

  it("match the whole text and each of its words, in upper and lower case", () => {
    fc.assert(
      fc.property(fc.array(anyText(60), { maxLength: 20 }), (parts) => {
        const kept = extractSearchWords({ texts: [parts.join(" ")] });
        if (kept.length === 40) return;
        expect(matches(parts.join(" "), kept)).toBe(true);
        for (const word of kept) expect(matches(word, kept)).toBe(true);
        for (const part of parts) expect(matches(part.toLowerCase(), kept)).toBe(true);
      }),
    );
  });

  it("keep the first forty characters of a long word and never cut one in half", () => {
    // A character of two UTF-16 units.
    const rare = "\u{20000}";
    const long = rare.repeat(45);
    expect(extractSearchWords({ texts: [long] })).toEqual([rare.repeat(40)]);
    expect(extractQueryWords(long)).toEqual([rare.repeat(40)]);
    expect(extractSearchWords({ texts: ["a".repeat(41)] })).toEqual(["a".repeat(40)]);
  });
});
