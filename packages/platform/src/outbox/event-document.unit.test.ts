import type { NewEvent } from "@malipo/contracts";
import { ObjectId } from "mongodb";
import { describe, expect, it } from "vitest";
import { appendEvents, firstEvents, unpublishedOf } from "./event-document.ts";

const now = new Date("2026-11-21T08:00:00Z");
const position = { publisherId: "5a17000000c0ffee", sequence: 1 };
const stored = { ticket: new ObjectId("5a17000000c0ffee00000001") };
const earlierPublished = { position, isEarlierPublished: true };
const earlierPending = { position, isEarlierPublished: false };
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

describe("the events in a record", () => {
  it("are numbered from one and wait for publication", () => {
    const fields = firstEvents([created, created], { now, traceparent: "00-trace" }, position);
    expect(fields).toMatchObject({ seq: 2, published: 0, ...stored });
    expect(fields.events.map(({ seq }) => seq)).toEqual([1, 2]);
    expect(fields.events[0]).toMatchObject({
      type: created.type,
      at: now,
      traceparent: "00-trace",
    });
    expect(new Set(fields.events.map(({ id }) => id)).size).toBe(2);
    expect(unpublishedOf(fields)).toEqual(fields.events);
  });

  it("continue after the sequence number that was read", () => {
    const append = appendEvents({ seq: 7, published: 5 }, [created], { now }, earlierPublished);
    expect(append.set).toEqual({ seq: 8, published: 7, ...stored });
    expect(append.push["events"].$each[0].seq).toBe(8);
    expect(append.push["events"].$slice).toBe(-50);
  });

  it("leave the published mark as it is while older events wait", () => {
    const append = appendEvents({ seq: 1, published: 0 }, [created], { now }, earlierPending);
    expect(append.set).toEqual({ seq: 2, ...stored });
  });

  it("need no position when there are none", () => {
    expect(firstEvents([], { now }, undefined)).toEqual({ seq: 0, published: 0, events: [] });
    const append = appendEvents({ seq: 7, published: 7 }, [], { now }, undefined);
    expect(append).toEqual({ set: {}, push: {}, added: [] });
  });

  it("are cut to 50, but never an unpublished one", () => {
    const append = appendEvents({ seq: 90, published: 3 }, [created], { now }, earlierPending);
    expect(append.push["events"].$slice).toBe(-88);
    const others = appendEvents({ seq: 90, published: 3 }, [created], { now }, earlierPublished);
    expect(others.push["events"].$slice).toBe(-50);
  });
});
