import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { titleFromItems } from "./item-title.ts";

describe("titleFromItems", () => {
  it.each([
    [["Unga 2kg"], "Unga 2kg"],
    [["Unga 2kg", "Sugar"], "Unga 2kg and 1 more"],
    [["Unga 2kg", "Sugar", "Salt", "Tea"], "Unga 2kg and 3 more"],
    [[], ""],
  ])("names %j %j", (names, title) => {
    expect(titleFromItems(names)).toBe(title);
  });

  it("cuts a long name so that the number of further items stays", () => {
    expect(titleFromItems(["x".repeat(300), "y"])).toBe(`${"x".repeat(189)} and 1 more`);
    expect(titleFromItems([`${"x".repeat(188)} y`, "z"])).toBe(`${"x".repeat(188)} and 1 more`);
  });

  it("never cuts a character of two UTF-16 units in half", () => {
    expect(titleFromItems(["🎉".repeat(300)])).toBe("🎉".repeat(200));
    const longName = fc.string({ unit: "binary", minLength: 150, maxLength: 300 });
    fc.assert(
      fc.property(fc.array(longName, { minLength: 1, maxLength: 3 }), (names) => {
        const title = titleFromItems(names);
        expect(title.isWellFormed()).toBe(true);
        expect(Array.from(title).length).toBeLessThanOrEqual(200);
      }),
    );
  });
});
