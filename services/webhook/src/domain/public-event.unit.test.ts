import { publicEventTypes } from "@malipo/contracts";
import { describe, expect, it } from "vitest";
import { eventBody } from "./public-event.ts";

const told = { id: "evt_1", at: "2026-11-21T08:00:00.000Z", data: { amount: 5 } };

describe("a body", () => {
  it.each(publicEventTypes.map((type) => [type]))("of %s has its family's shape", (type) => {
    const body: unknown = JSON.parse(eventBody({ ...told, type }));
    expect(body).toEqual(
      type.startsWith("invoice.")
        ? { event: type, timestamp: told.at, data: told.data }
        : { id: told.id, type, created: told.at, data: told.data },
    );
  });
});
