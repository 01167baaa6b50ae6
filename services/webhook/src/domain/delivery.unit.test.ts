import { describe, expect, it } from "vitest";
import { deliveryIdOf, interruptedOutcome, outcomeOf } from "./delivery.ts";
import { usualDelaysMs } from "./retry-schedule.ts";

const now = new Date("2026-11-21T08:00:00Z");
const failure = { delaysMs: usualDelaysMs, random: 0.5 };

describe("a delivery", () => {
  it("has one id for an event and an endpoint", () => {
    const id = deliveryIdOf("evt_1", "endpoint-1");
    expect(id).toMatch(/^[0-9a-f]{24}$/);
    expect(deliveryIdOf("evt_1", "endpoint-1")).toBe(id);
    expect(deliveryIdOf("evt_2", "endpoint-1")).not.toBe(id);
    expect(deliveryIdOf("evt_1", "endpoint-2")).not.toBe(id);
  });

  it("has an id near those of the events of its time", () => {
    const near = ["evt_6743f1b2c9e8a45d3f0b7c23", "evt_6743f1b2c9e8a45d3f0b7c24"].flatMap((event) =>
      ["endpoint-1", "endpoint-2"].map((endpoint) => deliveryIdOf(event, endpoint)),
    );
    expect(near.map((id) => id.slice(0, 10))).toEqual([
      "6743f1b223",
      "6743f1b223",
      "6743f1b224",
      "6743f1b224",
    ]);
    expect(new Set(near).size).toBe(4);
    expect(near.every((id) => /^[0-9a-f]{24}$/.test(id))).toBe(true);
  });

  it("is done with a success", () => {
    expect(outcomeOf({ tries: 3 }, null, now, failure)).toEqual({
      status: "delivered",
      tries: 3,
      dueat: null,
      problem: null,
      failedat: null,
    });
  });

  it("is tried ten times, and fails with the last", () => {
    let tries = 0;
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      const outcome = outcomeOf({ tries }, "answered 500", now, failure);
      expect(outcome.status).toBe(attempt < 10 ? "pending" : "failed");
      expect(outcome.dueat === null).toBe(attempt === 10);
      expect(outcome).toMatchObject({ problem: "answered 500", failedat: now });
      ({ tries } = outcome);
    }
  });

  it("loses no try when we broke it off ourselves", () => {
    expect(interruptedOutcome({ tries: 2 }, "broken off", now)).toMatchObject({
      status: "pending",
      tries: 2,
      dueat: now,
      failedat: null,
    });
  });
});
