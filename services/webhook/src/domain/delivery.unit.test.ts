import { describe, expect, it } from "vitest";
import { interruptedOutcome, outcomeOf } from "./delivery.ts";
import { defaultDelaysMs } from "./retry-schedule.ts";

const now = new Date("2026-11-21T08:00:00Z");
const failure = { delaysMs: defaultDelaysMs, random: 0.5 };

describe("a delivery", () => {
  it("is delivered after a success", () => {
    expect(outcomeOf({ tries: 3 }, null, now, failure)).toEqual({
      status: "delivered",
      tries: 3,
      dueat: null,
      problem: null,
      failedat: null,
    });
  });

  it("is tried ten times, and fails after the last", () => {
    let tries = 0;
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      const outcome = outcomeOf({ tries }, "answered 500", now, failure);
      expect(outcome.status).toBe(attempt < 10 ? "pending" : "failed");
      expect(outcome.dueat === null).toBe(attempt === 10);
      expect(outcome).toMatchObject({ problem: "answered 500", failedat: now });
      ({ tries } = outcome);
    }
  });

  it("keeps its tries when this service cancelled the attempt", () => {
    expect(interruptedOutcome({ tries: 2 }, "cancelled", now)).toMatchObject({
      status: "pending",
      tries: 2,
      dueat: now,
      failedat: null,
    });
  });
});
