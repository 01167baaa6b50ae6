import { describe, expect, it } from "vitest";
import { deliveryIdOf } from "./delivery-id.ts";

describe("deliveryIdOf", () => {
  it("gives one id to an event and an endpoint, and another to any other pair", () => {
    const id = deliveryIdOf("evt_1", "endpoint-1");
    expect(id).toMatch(/^[0-9a-f]{24}$/);
    expect(deliveryIdOf("evt_1", "endpoint-1")).toBe(id);
    expect(deliveryIdOf("evt_2", "endpoint-1")).not.toBe(id);
    expect(deliveryIdOf("evt_1", "endpoint-2")).not.toBe(id);
  });

  it("gives ids with the same prefix to events of the same second", () => {
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
});
