import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { faces } from "./fonts.ts";
import { breakLines } from "./lines.ts";
import { splitRuns } from "./runs.ts";

const written = (text: string) => splitRuns(text, faces.regular).map((run) => run.text);
const lengthOf = (text: string) => Array.from(text).length;

describe("a line", () => {
  it("changes its font only where it must", () => {
    expect(written("Asha Wanjiru, 10 Mbps")).toEqual(["Asha Wanjiru, 10 Mbps"]);
    expect(written("Wanjikũ wa Ĩtega").join("")).toBe("Wanjikũ wa Ĩtega");
    expect(written("a漢b ✁")).toEqual(["a□b ", "✁"]);
    expect(written("Z\u1abe")).toEqual(["Z"]);
  });

  it("has what reads from right to left at its place, brackets turned round", () => {
    expect(written("abc שלום def")).toEqual(["abc ", "שלום", " def"]);
    expect(written("שלום 10 Mbps")).toEqual(["Mbps", " ", "10", "שלום "]);
    expect(written("مكتب (نيروبي)")).toEqual(["مكتب )نيروبي("]);
  });

  it("is as wide as it may be, and no word is lost", () => {
    expect(breakLines("one two three", 7, lengthOf)).toEqual(["one two", "three"]);
    expect(breakLines("abcdefghij k", 4, lengthOf)).toEqual(["abcd", "efgh", "ij k"]);
    expect(breakLines("one\n\ntwo", 10, lengthOf)).toEqual(["one", "", "two"]);
    const word = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 40 });
    const text = fc.array(word, { maxLength: 20 }).map((some) => some.join(" "));
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 30 }), (words, width) => {
        const lines = breakLines(words, width, lengthOf);
        for (const line of lines) expect(line.length).toBeLessThanOrEqual(width);
        expect(lines.join("").replaceAll(" ", "")).toBe(words.replaceAll(" ", ""));
      }),
    );
  });
});
