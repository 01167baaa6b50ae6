import { hourMs, minuteMs, secondMs } from "@malipo/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nextAttemptAt, readRetryAfter, defaultDelaysMs } from "./retry-schedule.ts";

const now = new Date("2026-11-21T08:00:00Z");
const defaults = { delaysMs: defaultDelaysMs, random: 0.5 };
const afterMs = (moment: Date | null) => moment && moment.getTime() - now.getTime();

function asked(retryAfterMs: number, tries = 1): number | null {
  return afterMs(nextAttemptAt(tries, now, { ...defaults, retryAfterMs }));
}

describe("the retry schedule", () => {
  it.each([
    [1, 5 * secondMs],
    [2, 5 * minuteMs],
    [3, 30 * minuteMs],
    [4, 2 * hourMs],
    [5, 5 * hourMs],
    [6, 10 * hourMs],
    [7, 14 * hourMs],
    [8, 20 * hourMs],
    [9, 24 * hourMs],
    [10, null],
  ])("after %i failed attempts waits %s ms", (tries, delay) => {
    expect(afterMs(nextAttemptAt(tries, now, defaults))).toBe(delay);
  });

  it("varies each delay by up to a tenth in either direction", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (tries, random) => {
          const delay = defaultDelaysMs[tries - 1] ?? 0;
          const waited = afterMs(nextAttemptAt(tries, now, { ...defaults, random })) ?? 0;
          expect(waited).toBeGreaterThanOrEqual(Math.floor(0.9 * delay));
          expect(waited).toBeLessThanOrEqual(Math.ceil(1.1 * delay));
        },
      ),
    );
  });

  it("waits as long as the receiver asks if that is longer, at most a day", () => {
    expect(asked(secondMs)).toBe(5 * secondMs);
    expect(asked(hourMs)).toBe(hourMs);
    expect(asked(1_000 * hourMs)).toBe(24 * hourMs);
    expect(asked(hourMs, 10)).toBeNull();
  });
});

describe("Retry-After", () => {
  it.each([
    ["120", 120 * secondMs],
    [" 0 ", 0],
    ["Sat, 21 Nov 2026 08:01:00 GMT", minuteMs],
    ["Sat, 21 Nov 2026 07:00:00 GMT", 0],
    ["999999999", 999_999_999 * secondMs],
    ["9999999999999", undefined],
    ["-5", undefined],
    ["1.5", undefined],
    ["2027", 2_027 * secondMs],
    ["soon", undefined],
    ["", undefined],
    [undefined, undefined],
  ])("with the value %o means %o ms", (header, expected) => {
    expect(readRetryAfter(header, now)).toBe(expected);
  });
});
