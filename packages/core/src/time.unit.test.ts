import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AssertionFailed } from "./assert.ts";
import { addCycles, addMs, billingCycles, clockSkew, cycleDays, dayMs } from "./time.ts";

const anyMoment = fc.date({
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
  ] as const)("%s from 1 March 2026 is %s", (cycle, expected) => {
    expect(addCycles(new Date("2026-03-01T09:30:00Z"), cycle, 1).toISOString()).toBe(expected);
  });

  it("never drifts: n steps of one are one step of n", () => {
    fc.assert(
      fc.property(
        anyMoment,
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

  it("goes back as well", () => {
    const from = new Date("2026-03-01T00:00:00Z");
    expect(addCycles(addCycles(from, "monthly", 3), "monthly", -3)).toEqual(from);
  });

  it("refuses parts of a cycle and moments beyond the range of Date", () => {
    expect(() => addCycles(new Date(0), "weekly", 0.5)).toThrow(AssertionFailed);
    expect(() => addMs(new Date(8.64e15), 1)).toThrow(AssertionFailed);
  });
});

/** So many milliseconds after a moment. */
const at = (ms: number) => addMs(new Date("2026-03-01T09:30:00Z"), ms);

describe("clockSkew", () => {
  it.each([
    ["behind, by as much as before the question", -70, -70],
    ["unknown, as it was read in between", 5, 0],
    ["unknown, at the answer itself", 10, 0],
    ["ahead, by as much as after the answer", 90, 80],
  ])("is %s", (_what, theirs, skew) => {
    expect(clockSkew(at(theirs), at(0), at(10))).toBe(skew);
  });
});
