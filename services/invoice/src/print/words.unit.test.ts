import { cents } from "@malipo/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dayWords, momentWords, moneyWords, printable } from "./words.ts";

/** Any text at all, mostly of writing that is in use. */
const anyText = (maxLength: number) =>
  fc
    .array(fc.oneof(fc.nat(0x2fff), fc.nat(0x10ffff)), { maxLength })
    .map((codePoints) => String.fromCodePoint(...codePoints));

describe("words", () => {
  it("name money and moments as people in Nairobi write them", () => {
    expect(moneyWords(cents(123_456_789))).toBe("KES 1,234,567.89");
    expect(moneyWords(cents(5))).toBe("KES 0.05");
    expect(dayWords(new Date("2026-11-30T21:00:00Z"))).toBe("1 December 2026");
    expect(momentWords(new Date("2026-11-30T21:05:00Z"))).toBe("1 Dec 2026, 00:05");
  });
});

describe("what others wrote", () => {
  it.each([
    ["Asha\u202egnirtS\u202c", "AshagnirtS"],
    ["\u2066a\u2067b\u2068c\u2069", "abc"],
    ["a\u0000\u0007\u001b[31mb", "a[31mb"],
    ["a\u200bb\u200dc\ufeffd\u00ade", "abcde"],
    ["one\r\ntwo\rthree\u2028four", "one\ntwo\nthree\nfour"],
    ["one\n\n\n\n\ntwo\tthree", "one\n\ntwo three"],
    ["Z\u0351\u0352\u0351\u0352\u0351", "Z\u0351\u0352\u0351"],
    ["Wanjiku\u0303", "Wanjikũ"],
    ["\u200b \u2060", "–"],
    ["عربي, עברית, 漢字, 🎉", "عربي, עברית, 漢字, 🎉"],
  ])("%j is shown as %j", (text, shown) => expect(printable(text)).toBe(shown));

  it("is shown as something, once and for all, without what nobody sees", () => {
    fc.assert(
      fc.property(anyText(200), (text) => {
        const shown = printable(text);
        expect(shown).not.toMatch(/[^\P{C}\n]|\p{M}{4}|\n{3}|^\s|\s$|^$/u);
        expect(printable(shown)).toBe(shown);
      }),
    );
  });
});
