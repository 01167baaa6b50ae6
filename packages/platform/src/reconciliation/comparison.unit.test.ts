import type { NewEvent } from "@malipo/contracts";
import { addMs, minuteMs } from "@malipo/core";
import { describe, expect, it } from "vitest";
import { comparedLater, type Comparison, sentAgain } from "./comparison.ts";

const now = new Date("2026-11-21T08:00:00Z");
const later = addMs(now, minuteMs);
const told = [{ type: "payment.completed" }] as unknown as readonly NewEvent[];
const other = [{ type: "payment.failed" }] as unknown as readonly NewEvent[];

describe("a comparison", () => {
  it("is due a while after the first word that another service answers with a record", () => {
    expect(comparedLater(other, now)).toEqual({});
    const { compare } = comparedLater(told, now);
    expect(compare).toMatchObject({ from: now, resent: 0, parkedat: null });
    expect(compare?.at).toEqual(addMs(now, 10 * minuteMs));
    // A second word does not put off the question about the first.
    expect(comparedLater(told, later, compare)).toEqual({ compare });
  });

  it("is put off ever longer while it is in vain, and ends with an operator", () => {
    const begun = { at: now, from: now, resent: 0, parkedat: null, reason: null };
    let compare: Comparison = begun;
    const delays: number[] = [];
    while (compare.at) {
      compare = sentAgain(compare, "it is not there", now);
      if (compare.at) delays.push(compare.at.getTime() - now.getTime());
    }
    expect(delays).toHaveLength(7);
    expect(delays).toEqual(delays.toSorted((one, next) => one - next));
    expect(compare).toMatchObject({ resent: 8, parkedat: now, reason: "it is not there" });
    // What is told now is asked about all the same.
    expect(comparedLater(told, later, compare).compare?.at).toEqual(addMs(later, 10 * minuteMs));
  });
});
