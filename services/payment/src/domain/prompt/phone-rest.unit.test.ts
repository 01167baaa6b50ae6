import { addMs, minuteMs, secondMs } from "@malipo/core";
import { describe, expect, it } from "vitest";
import { type RecentPrompt, restingUntil } from "./phone-rest.ts";

const start = new Date("2026-11-21T09:00:00Z");
const at = (seconds: number) => addMs(start, seconds * secondMs);
const limits = { firstMs: 30 * secondMs, maxMs: 10 * minuteMs };

function ended(seconds: number, more: Partial<RecentPrompt> = {}): RecentPrompt {
  return {
    holder: "6743f1b2c9e8a45d3f0b7c22",
    state: "cancelled",
    reason: "cancelled_by_payer",
    createdat: at(seconds - 5),
    promptedat: at(seconds - 5),
    updatedat: at(seconds),
    completedat: null,
    ...more,
  };
}

const paid = (seconds: number, createdSeconds = seconds - 5) =>
  ended(seconds, {
    state: "completed",
    reason: null,
    createdat: at(createdSeconds),
    completedat: at(seconds),
  });

describe("the rest of a phone", () => {
  it("doubles with each prompt without success, up to its maximum", () => {
    const prompts: RecentPrompt[] = [];
    const rests = Array.from({ length: 8 }, (_, nth) => {
      prompts.unshift(ended(nth * 1_000));
      const until = restingUntil(prompts, limits, at(nth * 1_000));
      return until && (until.getTime() - at(nth * 1_000).getTime()) / secondMs;
    });
    expect(rests).toEqual([30, 60, 120, 240, 480, 600, 600, 600]);
  });

  it("ends at its time", () => {
    expect(restingUntil([ended(0)], limits, at(29))).toEqual(at(30));
    expect(restingUntil([ended(0)], limits, at(30))).toBeNull();
  });

  it.each([
    ["cancelled_by_payer", true],
    ["wrong_pin", true],
    ["pin_locked", true],
    ["unreachable", true],
    ["expired", true],
    ["insufficient_funds", false],
    ["provider_busy", false],
    ["refused", false],
    ["misconfigured", false],
  ])("after a prompt that ended as %s: %s", (reason, rests) => {
    const prompt = ended(0, { state: "failed", reason });
    expect(restingUntil([prompt], limits, at(1)) !== null).toBe(rests);
  });

  it("begins when an unanswered prompt has left the phone", () => {
    const open = ended(0, { state: "prompted", reason: null, promptedat: at(0) });
    expect(restingUntil([open], limits, at(89))).toBeNull();
    expect(restingUntil([open], limits, at(90))).toEqual(at(120));
  });

  it("is gone with a payment, also with one that was prompted earlier and came late", () => {
    expect(restingUntil([paid(20), ended(10), ended(0)], limits, at(21))).toBeNull();
    expect(restingUntil([ended(10), ended(5), paid(20, -60)], limits, at(21))).toBeNull();
    expect(restingUntil([ended(40), paid(20), ended(10)], limits, at(41))).toEqual(at(70));
  });

  it("does not come back when a prompt from before a payment is reported late", () => {
    const late = ended(30, { createdat: at(0) });
    expect(restingUntil([paid(20), late], limits, at(31))).toBeNull();
  });

  it("does not count the prompts of pages, but their payments", () => {
    const holder = "AAAAAAAAAAAAAAAAAAAAAA";
    expect(restingUntil([ended(0, { holder })], limits, at(1))).toBeNull();
    const paidByPage = { ...paid(20), holder };
    expect(restingUntil([paidByPage, ended(0)], limits, at(21))).toBeNull();
  });
});
