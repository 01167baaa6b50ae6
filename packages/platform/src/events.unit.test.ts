import type { NewEvent } from "@malipo/contracts";
import { describe, expect, it } from "vitest";
import { appendEvents, firstEvents, unpublishedOf } from "./events.ts";

const now = new Date("2026-11-21T08:00:00Z");
const later = new Date("2026-11-21T08:00:10Z");
const created: NewEvent = {
  type: "customer.created",
  data: {
    _id: "507f1f77bcf86cd799439011",
    name: "Asha",
    email: null,
    phone: null,
    createdat: now.toISOString(),
    updatedat: now.toISOString(),
  },
};

describe("events in the document", () => {
  it("number from one and wait for publication", () => {
    const fields = firstEvents([created, created], { now, traceparent: "00-trace" });
    expect(fields).toMatchObject({ seq: 2, published: 0, unpublished: now });
    expect(fields.events.map(({ seq }) => seq)).toEqual([1, 2]);
    expect(fields.events[0]).toMatchObject({
      type: created.type,
      at: now,
      traceparent: "00-trace",
    });
    expect(new Set(fields.events.map(({ id }) => id)).size).toBe(2);
    expect(unpublishedOf(fields)).toEqual(fields.events);
  });

  it("go on from the number that was read, and fit only that state", () => {
    const append = appendEvents({ seq: 7, published: 7 }, [created], { now: later });
    expect(append.set).toEqual({ seq: 8, unpublished: later });
    expect(append.push["events"].$each[0].seq).toBe(8);
    expect(append.push["events"].$slice).toBe(-50);
  });

  it("keep the moment since when the oldest waits", () => {
    const append = appendEvents({ seq: 1, published: 0, unpublished: now }, [created], {
      now: later,
    });
    expect(append.set["unpublished"]).toBe(now);
  });

  it("that are none leave nothing to publish behind", () => {
    expect(firstEvents([], { now })).toEqual({ seq: 0, published: 0, events: [] });
    expect(appendEvents({ seq: 7, published: 7 }, [], { now })).toEqual({ set: {}, push: {} });
  });

  it("never cut an unpublished one, however many wait", () => {
    const append = appendEvents({ seq: 90, published: 3 }, [created], { now });
    expect(append.push["events"].$slice).toBe(-88);
  });
});
