import { publicEventTypes } from "@malipo/contracts";
import { describe, expect, it } from "vitest";
import { eventBody } from "./public-event.ts";

const event = { id: "evt_1", at: "2026-11-21T08:00:00.000Z", data: { amount: 5 } };

describe("the body of an event", () => {
  it.each(publicEventTypes.map((type) => [type]))("has the shape of its family for %s", (type) => {
    const body: unknown = JSON.parse(eventBody({ ...event, type }));
    expect(body).toEqual(
      type.startsWith("invoice.")
        ? { event: type, timestamp: event.at, data: event.data }
        : { id: event.id, type, created: event.at, data: event.data },
    );
  });
});
