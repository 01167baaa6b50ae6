import { cents } from "@malipo/core";
import { describe, expect, it } from "vitest";
import { formatDay, formatTime, formatMoney } from "./format.ts";

describe("formatting", () => {
  it("writes money, dates and times in the Kenyan style and the time zone of Nairobi", () => {
    expect(formatMoney(cents(123_456_789))).toBe("KES 1,234,567.89");
    expect(formatMoney(cents(5))).toBe("KES 0.05");
    expect(formatDay(new Date("2026-11-30T21:00:00Z"))).toBe("1 December 2026");
    expect(formatTime(new Date("2026-11-30T21:05:00Z"))).toBe("1 Dec 2026, 00:05");
  });
});
