import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { editDistance, findClosestMatch } from "./closest-match.ts";

describe("the edit distance", () => {
  it.each([
    ["", "", 0],
    ["list", "list", 0],
    ["lst", "list", 1],
    ["lisst", "list", 1],
    ["lost", "list", 1],
    ["lsit", "list", 1],
    ["kitten", "sitting", 3],
    ["", "abc", 3],
  ])("from %j to %j is %d", (from, to, distance) => {
    expect(editDistance(from, to)).toBe(distance);
  });

  it("is the same in both directions, and 0 for equal words only", () => {
    const word = fc.string({ maxLength: 8 });
    fc.assert(
      fc.property(word, word, (one, other) => {
        const distance = editDistance(one, other);
        return distance === editDistance(other, one) && (distance === 0) === (one === other);
      }),
    );
  });
});

it("findClosestMatch returns a similar candidate, and undefined when none is similar", () => {
  const commands = ["business list", "key list", "key issue"];
  expect(findClosestMatch("busines lst", commands)).toBe("business list");
  expect(findClosestMatch("kye issue", commands)).toBe("key issue");
  expect(findClosestMatch("something else", commands)).toBeUndefined();
  expect(findClosestMatch("x", [])).toBeUndefined();
});
