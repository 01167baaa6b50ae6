import { addMs } from "@malipo/core";
import { describe, expect, it } from "vitest";
import { nextTurns } from "./pace.ts";

const now = new Date("2026-11-21T08:00:00Z");
const pace = { intervalMs: 100, burst: 3 };
const waits = (last: Date | null, count: number) =>
  nextTurns(pace, last, count, now).map((turn) => Math.max(0, turn.getTime() - now.getTime()));

describe("the turns of a pace", () => {
  it("are due at once up to the burst, then one every interval", () => {
    expect(waits(null, 5)).toEqual([0, 0, 0, 100, 200]);
  });

  it("follow those that were given before", () => {
    expect(waits(addMs(now, 200), 2)).toEqual([300, 400]);
    expect(waits(now, 2)).toEqual([100, 200]);
  });

  it("are saved up while nobody takes them, and never beyond the burst", () => {
    expect(waits(addMs(now, -200), 3)).toEqual([0, 0, 100]);
    expect(waits(addMs(now, -60_000), 4)).toEqual([0, 0, 0, 100]);
  });
});
