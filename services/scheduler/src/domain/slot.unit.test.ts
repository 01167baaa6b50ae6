import { minuteMs } from "@malipo/core";
import { describe, expect, it } from "vitest";
import { missedBetween, slotOf } from "./slot.ts";

function at(text: string): string {
  return slotOf(new Date(text), minuteMs).toISOString();
}

describe("slotOf", () => {
  it("returns the same slot until the next one begins", () => {
    expect(at("2026-11-21T08:00:00Z")).toBe("2026-11-21T08:00:00.000Z");
    expect(at("2026-11-21T08:00:59.999Z")).toBe("2026-11-21T08:00:00.000Z");
    expect(at("2026-11-21T08:01:00Z")).toBe("2026-11-21T08:01:00.000Z");
  });

  it("missedBetween counts the slots between two slots, and none before the first run", () => {
    const slot = new Date("2026-11-21T08:10:00Z");
    const last = (text: string) => missedBetween(new Date(text), slot, minuteMs);
    expect(last("2026-11-21T08:09:00Z")).toBe(0);
    expect(last("2026-11-21T08:05:00Z")).toBe(4);
    expect(missedBetween(null, slot, minuteMs)).toBe(0);
  });
});
