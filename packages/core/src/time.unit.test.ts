import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AssertionFailed } from "./assert.ts";
import { addCycles, addMs, billingCycles, clockSkew, cycleDays, dayMs } from "./time.ts";

const anyDate = fc.date({
  min: new Date("2000-01-01T00:00:00Z"),
  max: new Date("2100-01-01T00:00:00Z"),
  noInvalidDate: true,
});

describe("addCycles", () => {
  it.each([
    ["weekly", "2026-03-08T09:30:00.000Z"],
    ["monthly", "2026-03-31T09:30:00.000Z"],
    ["quarterly", "2026-05-30T09:30:00.000Z"],
    ["yearly", "2027-03-01T09:30:00.000Z"],
  ] as const)("adds a %s cycle to 1 March 2026: %s", (cycle, expected) => {
    expect(addCycles(new Date("2026-03-01T09:30:00Z"), cycle, 1).toISOString()).toBe(expected);
  });

  it("never drifts: n steps of one cycle equal one step of n cycles", () => {
    fc.assert(
      fc.property(
        anyDate,
        fc.constantFrom(...billingCycles),
        fc.integer({ min: 0, max: 40 }),
        (from, cycle, count) => {
          let stepped = from;
          for (let step = 0; step < count; step += 1) stepped = addCycles(stepped, cycle, 1);
          expect(addCycles(from, cycle, count)).toEqual(stepped);
          expect(stepped.getTime() - from.getTime()).toBe(count * cycleDays[cycle] * dayMs);
        },
      ),
    );
  });

  it("goes back for a negative count", () => {
    const from = new Date("2026-03-01T00:00:00Z");
    expect(addCycles(addCycles(from, "monthly", 3), "monthly", -3)).toEqual(from);
  });

  it("throws for a fraction of a cycle and for dates outside the range of Date", () => {
    expect(() => addCycles(new Date(0), "weekly", 0.5)).toThrow(AssertionFailed);
    expect(() => addMs(new Date(8.64e15), 1)).toThrow(AssertionFailed);
  });
});

/** A date `ms` milliseconds after the request. */
const at = (ms: number) => addMs(new Date("2026-03-01T09:30:00Z"), ms);

describe("clockSkew", () => {
  it.each([
    ["the time before the request as negative when the remote clock is behind", -70, -70],
    ["zero when the remote time is between request and answer", 5, 0],
    ["zero when the remote time is that of the answer", 10, 0],
    ["the time after the answer when the remote clock is ahead", 90, 80],
  ])("returns %s", (_case, remoteMs, skewMs) => {
    expect(clockSkew(at(remoteMs), at(0), at(10))).toBe(skewMs);
  });
});
