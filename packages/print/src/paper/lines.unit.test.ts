import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { faces } from "./fonts.ts";
import { breakLines } from "./lines.ts";
import { splitRuns } from "./runs.ts";

const runTexts = (text: string) => splitRuns(text, faces.regular).map((run) => run.text);
const lengthOf = (text: string) => Array.from(text).length;

describe("splitRuns and breakLines", () => {
  it("splitRuns changes the font only for characters that the present font lacks", () => {
    expect(runTexts("Asha Wanjiru, 10 Mbps")).toEqual(["Asha Wanjiru, 10 Mbps"]);
    expect(runTexts("Wanjikũ wa Ĩtega").join("")).toBe("Wanjikũ wa Ĩtega");
    expect(runTexts("a漢b ✁")).toEqual(["a□b ", "✁"]);
    expect(runTexts("Z\u1abe")).toEqual(["Z"]);
  });

  it("splitRuns puts right-to-left text in visual order and mirrors brackets", () => {
    expect(runTexts("abc שלום def")).toEqual(["abc ", "שלום", " def"]);
    expect(runTexts("שלום 10 Mbps")).toEqual(["Mbps", " ", "10", "שלום "]);
    expect(runTexts("مكتب (نيروبي)")).toEqual(["مكتب )نيروبي("]);
  });

  it("breakLines fills lines up to the width and loses no word", () => {
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
