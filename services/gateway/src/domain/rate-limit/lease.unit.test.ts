import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { takeLeases, type Ledger } from "./lease.ts";
import { startOf, type Window, windowsFor } from "./windows.ts";

const noon = Date.UTC(2026, 10, 21, 12);
const minute: Window = { name: "minute", lengthMs: 60_000, limit: 60 };
const second: Window = { name: "second", lengthMs: 1_000, limit: 5 };

describe("windows", () => {
  it("are the plan's, aligned to the epoch, with a route's own beside them", () => {
    expect(
      windowsFor("free", null, "product-list").map(({ name, limit }) => [name, limit]),
    ).toEqual([
      ["second", 5],
      ["minute", 60],
      ["day", 1_000],
      ["product-list", 100],
    ]);
    expect(startOf(minute, noon + 59_999)).toBe(noon);
    expect(startOf(minute, noon + 60_000)).toBe(noon + 60_000);
  });

  it("are a business's own where it has some, and then no others", () => {
    const own = { second: 1_000, minute: 50_000, day: 1_000_000 };
    expect(windowsFor("enterprise", own, "product-list").map(({ limit }) => limit)).toEqual([
      1_000, 50_000, 1_000_000,
    ]);
  });
});

function taking(taken: number, wanted: number): number | undefined {
  const ledger = { minute: { startMs: noon, taken } };
  return takeLeases(ledger, [minute], wanted, noon).leases.get("minute")?.amount;
}

describe("takeLeases", () => {
  it("takes at most a tenth of what is left, at most what is wanted, and at least one", () => {
    expect(taking(0, 100)).toBe(6);
    expect(taking(0, 2)).toBe(2);
    expect(taking(59, 100)).toBe(1);
    expect(taking(0, 0)).toBe(1);
  });

  it("takes nothing from any window when one is used up, and writes nothing", () => {
    const ledger = { minute: { startMs: noon, taken: 60 } };
    const { leases, ledger: next } = takeLeases(ledger, [second, minute], 3, noon);
    expect(next).toBeUndefined();
    expect([...leases]).toEqual([["minute", { startMs: noon, amount: 0, left: 0 }]]);
  });

  it("begins anew with the next window, and never goes back to an earlier one", () => {
    const ledger = { minute: { startMs: noon, taken: 60 } };
    const later = takeLeases(ledger, [minute], 1, noon + 60_000).ledger;
    expect(later).toEqual({ minute: { startMs: noon + 60_000, taken: 1 } });
    const lateClock = takeLeases(later ?? {}, [minute], 1, noon).ledger;
    expect(lateClock).toEqual({ minute: { startMs: noon + 60_000, taken: 2 } });
  });

  it("never takes more than the limit in any window, whatever is asked and whenever", () => {
    const ask = fc.record({
      wanted: fc.nat(500),
      stepMs: fc.integer({ min: -2_000, max: 20_000 }),
    });
    fc.assert(
      fc.property(fc.array(ask, { maxLength: 200 }), (asks) => {
        let ledger: Ledger = {};
        let nowMs = noon;
        const taken = new Map<string, number>();
        for (const { wanted, stepMs } of asks) {
          nowMs += stepMs;
          const result = takeLeases(ledger, [second, minute], wanted, nowMs);
          ledger = result.ledger ?? ledger;
          for (const [name, { startMs, amount, left }] of result.leases) {
            const key = `${name} ${startMs}`;
            taken.set(key, (taken.get(key) ?? 0) + amount);
            expect(left).toBeGreaterThanOrEqual(0);
            expect(taken.get(key)).toBeLessThanOrEqual(name === "second" ? 5 : 60);
          }
        }
      }),
    );
  });
});
