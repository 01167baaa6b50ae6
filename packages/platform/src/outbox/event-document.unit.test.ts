import type { NewEvent } from "@malipo/contracts";
import { ObjectId } from "mongodb";
import { describe, expect, it } from "vitest";
import { appendEvents, firstEvents, unpublishedOf } from "./event-document.ts";

const now = new Date("2026-11-21T08:00:00Z");
const ticket = new ObjectId();
const told = { ticket, isTold: true };
const untold = { ticket, isTold: false };
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
    const fields = firstEvents([created, created], { now, traceparent: "00-trace" }, ticket);
    expect(fields).toMatchObject({ seq: 2, published: 0, ticket });
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
    const append = appendEvents({ seq: 7, published: 5 }, [created], { now }, told);
    expect(append.set).toEqual({ seq: 8, published: 7, ticket });
    expect(append.push["events"].$each[0].seq).toBe(8);
    expect(append.push["events"].$slice).toBe(-50);
  });

  it("take nobody's mark away while older ones wait", () => {
    const append = appendEvents({ seq: 1, published: 0 }, [created], { now }, untold);
    expect(append.set).toEqual({ seq: 2, ticket });
  });

  it("that are none leave nothing to publish behind", () => {
    expect(firstEvents([], { now }, undefined)).toEqual({ seq: 0, published: 0, events: [] });
    const append = appendEvents({ seq: 7, published: 7 }, [], { now }, undefined);
    expect(append).toEqual({ set: {}, push: {} });
  });

  it("never cut an unpublished one, however many wait", () => {
    const append = appendEvents({ seq: 90, published: 3 }, [created], { now }, untold);
    expect(append.push["events"].$slice).toBe(-88);
    const others = appendEvents({ seq: 90, published: 3 }, [created], { now }, told);
    expect(others.push["events"].$slice).toBe(-50);
  });
});
