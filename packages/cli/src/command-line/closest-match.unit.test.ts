import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { editDistance, nearest } from "./closest-match.ts";

describe("the distance of two words", () => {
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

  it("is the same both ways, and zero for the same word only", () => {
    const word = fc.string({ maxLength: 8 });
    fc.assert(
      fc.property(word, word, (one, other) => {
        const distance = editDistance(one, other);
        return distance === editDistance(other, one) && (distance === 0) === (one === other);
      }),
    );
  });
});

it("names what was probably meant, and nothing where nothing is near", () => {
  const commands = ["business list", "key list", "key issue"];
  expect(nearest("busines lst", commands)).toBe("business list");
  expect(nearest("kye issue", commands)).toBe("key issue");
  expect(nearest("something else", commands)).toBeUndefined();
  expect(nearest("x", [])).toBeUndefined();
});
