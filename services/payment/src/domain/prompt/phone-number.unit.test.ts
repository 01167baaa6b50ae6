import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parsePhone } from "./phone-number.ts";

const local = fc
  .tuple(fc.constantFrom("7", "1"), fc.stringMatching(/^\d{8}$/))
  .map((parts) => parts.join(""));
const prefix = fc.constantFrom("", "0", "254", "+254", "00254", "+2540");
const separator = fc.constantFrom("", " ", "-", ".", "\u00a0", "\u2011", "\u202a", "(", ")");

describe("parsePhone", () => {
  it.each([
    ["0712345678", "254712345678"],
    ["0112345678", "254112345678"],
    ["712345678", "254712345678"],
    ["254712345678", "254712345678"],
    ["+254 712-345-678", "254712345678"],
    ["+254 (0) 712 345 678", "254712345678"],
    ["\u202a+254 712 345678\u202c", "254712345678"],
  ])("reads a Kenyan mobile number from %j", (typed, phone) => {
    expect(parsePhone(typed)).toBe(phone);
  });

  it.each([
    "",
    "0812345678",
    "071234567",
    "07123456789",
    "255712345678",
    "+44 7123 456789",
    "0712345678 or 0722345678",
    "O712345678",
    "٠٧١٢٣٤٥٦٧٨",
    "254254712345678",
  ])("reads no number from %j", (typed) => {
    expect(parsePhone(typed)).toBeNull();
  });

  it("reads the same number with any prefix and any separators", () => {
    fc.assert(
      fc.property(
        local,
        prefix,
        fc.array(separator, { maxLength: 20 }),
        (digits, begin, between) => {
          const typed = Array.from(
            begin + digits,
            (digit, index) => digit + (between[index] ?? ""),
          );
          expect(parsePhone(typed.join(""))).toBe(`254${digits}`);
        },
      ),
    );
  });

  it("returns 254 and nine digits or null for any text", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), (typed) => {
        const phone = parsePhone(typed);
        expect(phone ?? "254700000000").toMatch(/^254[17]\d{8}$/);
        expect(parsePhone(phone ?? "254700000000")).toBe(phone ?? "254700000000");
      }),
    );
  });
});
