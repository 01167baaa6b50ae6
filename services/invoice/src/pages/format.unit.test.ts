import { cents } from "@malipo/core";
import { describe, expect, it } from "vitest";
import { dayWords, momentWords, moneyWords } from "./format.ts";

describe("words", () => {
  it("name money and moments as people in Nairobi write them", () => {
    expect(moneyWords(cents(123_456_789))).toBe("KES 1,234,567.89");
    expect(moneyWords(cents(5))).toBe("KES 0.05");
    expect(dayWords(new Date("2026-11-30T21:00:00Z"))).toBe("1 December 2026");
    expect(momentWords(new Date("2026-11-30T21:05:00Z"))).toBe("1 Dec 2026, 00:05");
  });
});
