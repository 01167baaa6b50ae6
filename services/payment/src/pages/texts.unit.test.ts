import { describe, expect, it } from "vitest";
import { fillPlaceholders, type PageTexts, pageTexts } from "./texts.ts";

const keys = Object.keys(pageTexts.en) as (keyof PageTexts)[];
const placeholders = (text: string) => (text.match(/\{\w+\}/g) ?? []).toSorted();

describe("the texts of the pages", () => {
  it.each(keys)("%s has the same placeholders in both languages, and another text", (key) => {
    expect(placeholders(pageTexts.sw[key])).toEqual(placeholders(pageTexts.en[key]));
    expect(pageTexts.sw[key]).not.toBe(pageTexts.en[key]);
  });

  it("are filled with values that are not interpreted again", () => {
    expect(fillPlaceholders("{a} and {b}", { a: "{b}", b: "$&" })).toBe("{b} and $&");
    expect(fillPlaceholders("{a}", {})).toBe("{a}");
  });
});
