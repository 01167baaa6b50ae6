import { addMs, dayMs, minuteMs } from "@malipo/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  allowanceOfPhone,
  allowancesOfPayer,
  allowancesOfVisitor,
  allowedFrom,
  isCountedAgainstVisitor,
  type PromptAllowance,
  recentPrompts,
  type TakenPrompts,
} from "./prompt-allowance.ts";
import { noVisitor } from "../visitor.ts";

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

const here = { askedfrom: "here", askednetwork: null };
const there = { askedfrom: "there", askednetwork: null };
const inNetwork = { askedfrom: "one of many", askednetwork: "network" };
const nextInNetwork = { askedfrom: "another of many", askednetwork: "network" };
const namesOf = (allowances: readonly PromptAllowance[]) => allowances.map(({ name }) => name);

describe("the prompt allowance of a payer's phone", () => {
  const phone = "254712345678";

  it("is three prompts in ten minutes at each place, and six over all", () => {
    const [atPlace, overall] = allowancesOfPayer(phone, here);
    expect(atPlace?.windows).toEqual(windows);
    const six = takenAt(0, 1, 2, 3, 4, 5);
    expect(allowedFrom(six.slice(1), overall?.windows ?? [], at(6))).toBeNull();
    expect(allowedFrom(six, overall?.windows ?? [], at(6))).toEqual(at(10));
    const thirty = takenAt(...Array.from({ length: 30 }, (_, nth) => nth * 10));
    expect(allowedFrom(thirty, overall?.windows ?? [], at(300))).toEqual(addMs(start, dayMs));
  });

  it("is one for all addresses of an IPv6 network, and for visitors without an address", () => {
    expect(allowancesOfPayer(phone, inNetwork)).toEqual(allowancesOfPayer(phone, nextInNetwork));
    expect(allowancesOfPayer(phone, noVisitor)[0]).toEqual(allowanceOfPhone(phone));
  });
});

describe("the prompt allowance of a visitor on a link", () => {
  it("is twenty prompts an hour for an address, and forty for an IPv6 network", () => {
    const minutes = Array.from({ length: 40 }, (_, minute) => minute);
    const [ofAddress, ofNetwork, ...more] = allowancesOfVisitor(inNetwork, "link");
    expect(more).toEqual([]);
    for (const [max, allowance] of [
      [20, ofAddress],
      [40, ofNetwork],
    ] as const) {
      const taken = takenAt(...minutes.slice(0, max));
      expect(allowedFrom(taken.slice(1), allowance?.windows ?? [], at(50))).toBeNull();
      expect(allowedFrom(taken, allowance?.windows ?? [], at(50))).toEqual(at(60));
      expect(allowedFrom(taken, allowance?.windows ?? [], at(60))).toBeNull();
    }
    expect(allowancesOfVisitor(nextInNetwork, "link")[1]).toEqual(ofNetwork);
    expect(allowancesOfVisitor(here, "link")).toHaveLength(1);
    expect(allowancesOfVisitor(noVisitor, "link")).toEqual([]);
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
    expect(isCountedAgainstVisitor({ state, reason })).toBe(isCounted);
  });

  it("is counted apart from other addresses, other links, and phones", () => {
    const names = namesOf([
      ...allowancesOfVisitor(here, "link"),
      ...allowancesOfVisitor(there, "link"),
      ...allowancesOfVisitor(here, "another"),
      ...allowancesOfVisitor(inNetwork, "link"),
      allowanceOfPhone("254712345678"),
      ...allowancesOfPayer("254712345678", here),
      ...allowancesOfPayer("254712345678", there).slice(0, 1),
    ]);
    expect(new Set(names).size).toBe(names.length);
  });
});
