import { describe, expect, it } from "vitest";
import { fill, type Words, words } from "./words.ts";

const keys = Object.keys(words.en) as (keyof Words)[];
const blanks = (text: string) => (text.match(/\{\w+\}/g) ?? []).toSorted();

describe("the words of pages", () => {
  it.each(keys)("%s has the same blanks in both languages", (key) => {
    expect(blanks(words.sw[key])).toEqual(blanks(words.en[key]));
    expect(words.sw[key]).not.toBe(words.en[key]);
  });

  it("are filled in as they are", () => {
    expect(fill("{a} and {b}", { a: "{b}", b: "$&" })).toBe("{b} and $&");
    expect(fill("{a}", {})).toBe("{a}");
  });
});
