import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sanitizeUserText, renderUserText } from "./user-text.ts";

/** Any text, mostly of common scripts. */
const anyText = (maxLength: number) =>
  fc
    .array(fc.oneof(fc.nat(0x2fff), fc.nat(0x10ffff)), { maxLength })
    .map((codePoints) => String.fromCodePoint(...codePoints));

describe("user text", () => {
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
  ])("sanitizeUserText turns %j into %j", (text, shown) =>
    expect(sanitizeUserText(text)).toBe(shown),
  );

  it("is visible and without harmful characters after sanitizeUserText, which changes it only once", () => {
    fc.assert(
      fc.property(anyText(200), (text) => {
        const shown = sanitizeUserText(text);
        expect(shown).not.toMatch(/[^\P{C}\n]|\p{M}{4}|\n{3}|^\s|\s$|^$/u);
        expect(sanitizeUserText(shown)).toBe(shown);
      }),
    );
  });

  it("is escaped and isolated in its direction by renderUserText", () => {
    expect(renderUserText("<b>\u202eAsha").text).toBe("<bdi>&#60;b&#62;Asha</bdi>");
  });
});
