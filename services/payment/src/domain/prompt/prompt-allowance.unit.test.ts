import { addMs, dayMs, minuteMs } from "@malipo/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  allowanceOfAddress,
  allowanceOfPayer,
  allowanceOfPhone,
  allowedFrom,
  isCountedAgainstAddress,
  recentPrompts,
  type TakenPrompts,
} from "./prompt-allowance.ts";

const start = new Date("2026-11-21T09:00:00Z");
const { windows } = allowanceOfPhone("254712345678");
const at = (minutes: number) => addMs(start, minutes * minuteMs);
const takenAt = (...minutes: number[]): TakenPrompts =>
  minutes.map((minute) => ({ attempt: `a${minute}`, at: at(minute) }));

describe("the prompt allowance of one phone", () => {
  it("is three prompts in ten minutes", () => {
    expect(allowedFrom(takenAt(0, 1), windows, at(2))).toBeNull();
    expect(allowedFrom(takenAt(0, 1, 2), windows, at(3))).toEqual(at(10));
    expect(allowedFrom(takenAt(0, 1, 2), windows, at(10))).toBeNull();
  });

  it("is ten prompts a day", () => {
    const ten = takenAt(0, 60, 120, 180, 240, 300, 360, 420, 480, 540);
    expect(allowedFrom(ten, windows, at(600))).toEqual(addMs(start, dayMs));
    expect(allowedFrom(ten, windows, addMs(start, dayMs))).toBeNull();
    expect(recentPrompts(ten, addMs(start, dayMs))).toHaveLength(9);
  });

  it("is never exceeded for any sequence of attempts", () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 90 }), { maxLength: 60 });
    fc.assert(
      fc.property(gaps, (minutes) => {
        let taken: TakenPrompts = [];
        let now = 0;
        for (const gap of minutes) {
          now += gap;
          if (allowedFrom(taken, windows, at(now)) === null) taken = [...taken, ...takenAt(now)];
        }
        const within = (from: Date, ms: number) =>
          taken.filter((each) => each.at >= from && each.at < addMs(from, ms)).length;
        for (const { at: from } of taken) {
          expect(within(from, 10 * minuteMs)).toBeLessThanOrEqual(3);
          expect(within(from, dayMs)).toBeLessThanOrEqual(10);
        }
      }),
    );
  });
});

describe("the prompt allowance of one address on one link", () => {
  it("is twenty prompts an hour", () => {
    const { windows: ofAddress } = allowanceOfAddress("address", "link");
    const twenty = takenAt(...Array.from({ length: 20 }, (_, minute) => minute));
    expect(allowedFrom(twenty.slice(1), ofAddress, at(30))).toBeNull();
    expect(allowedFrom(twenty, ofAddress, at(30))).toEqual(at(60));
    expect(allowedFrom(twenty, ofAddress, at(60))).toBeNull();
  });

  it.each([
    ["failed", "unreachable", true],
    ["failed", "expired", true],
    ["failed", "wrong_pin", true],
    ["failed", "unresolved", true],
    ["cancelled", "cancelled_by_payer", true],
    ["failed", "insufficient_funds", false],
    ["failed", "refused", false],
    ["failed", "not_sent", false],
    ["completed", null, false],
  ] as const)("is used by a prompt that %s (%s): %s", (state, reason, isCounted) => {
    expect(isCountedAgainstAddress({ state, reason })).toBe(isCounted);
  });

  it("is counted apart from other addresses, other links, and phones", () => {
    const names = [
      allowanceOfAddress("here", "link"),
      allowanceOfAddress("there", "link"),
      allowanceOfAddress("here", "another"),
      allowanceOfPhone("254712345678"),
      allowanceOfPayer("254712345678", "here"),
      allowanceOfPayer("254712345678", "there"),
    ].map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(allowanceOfPayer("254712345678", null)).toEqual(allowanceOfPhone("254712345678"));
  });
});
