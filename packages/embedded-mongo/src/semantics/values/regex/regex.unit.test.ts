import fc from "fast-check";
import { expect, test } from "vitest";
import { spellOutCases } from "./case-insensitive.ts";
import { compileRegex } from "./regex.ts";

test.each([
  ["abc", "[aA][bB][cC]"],
  ["a\\dB", "[aA]\\d[bB]"],
  ["[a-cX_]", "[a-cA-CxX_]"],
  ["[^a]", "[^aA]"],
  ["[\\]a]", "[\\]aA]"],
  ["[0-9]{2}", "[0-9]{2}"],
])("spellOutCases writes %s as %s", (pattern, expected) => {
  expect(spellOutCases(pattern)).toBe(expected);
});

test.each(["é", "[A-z]", "(?<n>a)", "\\x41", "(a)\\1"])(
  "spellOutCases returns undefined for %s",
  (pattern) => {
    expect(spellOutCases(pattern)).toBeUndefined();
  },
);

test("a pattern with both cases spelled out matches the same text as the flag i", () => {
  const pieces = fc.constantFrom(
    "a",
    "B",
    "1",
    ".",
    "[a-c]",
    "[^B-D]",
    "[x1-3]",
    "\\w",
    "\\.",
    "(a|Bc)",
    "x*",
    "^",
    "$",
    "-",
  );
  const patterns = fc.array(pieces, { maxLength: 5 }).map((list) => list.join(""));
  const texts = fc.string({
    unit: fc.constantFrom("a", "A", "b", "B", "c", "C", "x", "X", "1", ".", "-", "k"),
    maxLength: 6,
  });
  fc.assert(
    fc.property(patterns, texts, (pattern, text) => {
      expect(compileRegex(pattern, "i").test(text)).toBe(new RegExp(pattern, "i").test(text));
    }),
    { numRuns: 3000 },
  );
});

test("a case-insensitive expression with excessive backtracking finishes", () => {
  expect(compileRegex("^(a+)+$", "i").test(`${"a".repeat(40)}b`)).toBe(false);
  expect(compileRegex("(x+x+)+y", "").test("x".repeat(60))).toBe(false);
});
