import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { leaseFrom, type SharedWindows } from "./lease.ts";
import { periodStartMs, type Window, windowsFor } from "./windows.ts";

const noon = Date.UTC(2026, 10, 21, 12);
const minute: Window = { name: "minute", lengthMs: 60_000, limit: 60 };
const second: Window = { name: "second", lengthMs: 1_000, limit: 5 };

describe("the windows of a request", () => {
  it("are those of the plan, aligned to the epoch, and that of the route", () => {
    expect(
      windowsFor("free", null, "product-list").map(({ name, limit }) => [name, limit]),
    ).toEqual([
      ["second", 5],
      ["minute", 60],
      ["day", 1_000],
      ["product-list", 100],
    ]);
    expect(periodStartMs(minute, noon + 59_999)).toBe(noon);
    expect(periodStartMs(minute, noon + 60_000)).toBe(noon + 60_000);
  });

  it("are only the agreed limits when the business has some", () => {
    const agreed = { second: 1_000, minute: 50_000, day: 1_000_000 };
    expect(windowsFor("enterprise", agreed, "product-list").map(({ limit }) => limit)).toEqual([
      1_000, 50_000, 1_000_000,
    ]);
  });
});

function leasedAmount(taken: number, wanted: number): number | undefined {
  const shared = { minute: { startMs: noon, taken } };
  return leaseFrom(shared, [minute], wanted, noon).leases.get("minute")?.amount;
}

describe("leaseFrom", () => {
  it("leases at most a tenth of what is left, at most what is wanted, and at least one", () => {
    expect(leasedAmount(0, 100)).toBe(6);
    expect(leasedAmount(0, 2)).toBe(2);
    expect(leasedAmount(59, 100)).toBe(1);
    expect(leasedAmount(0, 0)).toBe(1);
  });

  it("leases from no window and changes nothing when one window is used up", () => {
    const shared = { minute: { startMs: noon, taken: 60 } };
    const { leases, next } = leaseFrom(shared, [second, minute], 3, noon);
    expect(next).toBeUndefined();
    expect([...leases]).toEqual([["minute", { startMs: noon, amount: 0, unleased: 0 }]]);
  });

  it("starts from zero in the next period, and never goes back to an earlier one", () => {
    const shared = { minute: { startMs: noon, taken: 60 } };
    const later = leaseFrom(shared, [minute], 1, noon + 60_000).next;
    expect(later).toEqual({ minute: { startMs: noon + 60_000, taken: 1 } });
    const bySlowClock = leaseFrom(later ?? {}, [minute], 1, noon).next;
    expect(bySlowClock).toEqual({ minute: { startMs: noon + 60_000, taken: 2 } });
  });

  it("never leases more than the limit of a period, for any demand and any clock", () => {
    const ask = fc.record({
      wanted: fc.nat(500),
      stepMs: fc.integer({ min: -2_000, max: 20_000 }),
    });
    fc.assert(
      fc.property(fc.array(ask, { maxLength: 200 }), (asks) => {
        let shared: SharedWindows = {};
        let nowMs = noon;
        const taken = new Map<string, number>();
        for (const { wanted, stepMs } of asks) {
          nowMs += stepMs;
          const result = leaseFrom(shared, [second, minute], wanted, nowMs);
          shared = result.next ?? shared;
          for (const [name, { startMs, amount, unleased }] of result.leases) {
            const key = `${name} ${startMs}`;
            taken.set(key, (taken.get(key) ?? 0) + amount);
            expect(unleased).toBeGreaterThanOrEqual(0);
            expect(taken.get(key)).toBeLessThanOrEqual(name === "second" ? 5 : 60);
          }
        }
      }),
    );
  });
});
