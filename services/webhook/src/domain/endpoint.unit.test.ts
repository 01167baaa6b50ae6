import { addMs, dayMs, hourMs } from "@malipo/core";
import { describe, expect, it } from "vitest";
import {
  changeEndpoint,
  deleteEndpoint,
  disableEndpoint,
  type Endpoint,
  newEndpoint,
  rotateSecret,
  validSecrets,
  viewEndpoint,
  subscribesTo,
} from "./endpoint.ts";

const now = new Date("2026-11-21T08:00:00Z");
const later = addMs(now, hourMs);
const ids = { id: "6743f1b2c9e8a45d3f0b7c21", businessid: "6743f1b2c9e8a45d3f0b7c22", slot: 1 };
const endpoint = newEndpoint(ids, { url: "https://example.co.ke/" }, "sealed-1", now);

function rotated(from: Endpoint, sealed: string, at: Date): Endpoint {
  const result = rotateSecret(from, sealed, at);
  if (!result.ok) throw new Error(result.error.text);
  return result.value;
}

function sealedOf(one: Endpoint, at: Date): string[] {
  return validSecrets(one, at).map(({ sealed }) => sealed);
}

describe("an endpoint", () => {
  it("subscribes to all events unless it names types", () => {
    expect(subscribesTo(endpoint, "invoice.paid")).toBe(true);
    const selective = changeEndpoint(endpoint, { events: ["invoice.paid"] }, later);
    expect(subscribesTo(selective, "invoice.paid")).toBe(true);
    expect(subscribesTo(selective, "invoice.created")).toBe(false);
  });

  it("changes only the fields in the request", () => {
    const changed = changeEndpoint(endpoint, { description: "books" }, later);
    expect(changed).toEqual({ ...endpoint, description: "books", updatedat: later });
    expect(changeEndpoint(changed, { description: null }, later).description).toBeNull();
  });

  it("shows why and when it was disabled, and clears both when it is enabled", () => {
    const disabled = disableEndpoint(endpoint, "Its receiver answered 410 Gone", later);
    expect(viewEndpoint(disabled, null)).toMatchObject({
      enabled: false,
      disabledat: later.toISOString(),
      disabledreason: "Its receiver answered 410 Gone",
    });
    expect(disableEndpoint(disabled, "something else", addMs(later, 1))).toBe(disabled);
    expect(changeEndpoint(disabled, { enabled: true }, later)).toMatchObject({
      enabled: true,
      disabledat: null,
      disabledreason: null,
    });
  });

  it("has no secret in its view", () => {
    expect(JSON.stringify(viewEndpoint(endpoint, now))).not.toContain("sealed");
  });

  it("frees its slot when it is deleted", () => {
    expect(deleteEndpoint(endpoint, later)).toMatchObject({
      slot: null,
      enabled: false,
      expiresat: addMs(later, 30 * dayMs),
    });
  });
});

describe("secret rotation", () => {
  it("keeps each old secret valid for a day", () => {
    const once = rotated(endpoint, "sealed-2", now);
    expect(sealedOf(once, now)).toEqual(["sealed-2", "sealed-1"]);
    const twice = rotated(once, "sealed-3", later);
    expect(sealedOf(twice, later)).toEqual(["sealed-3", "sealed-2", "sealed-1"]);
    expect(sealedOf(twice, addMs(now, dayMs))).toEqual(["sealed-3", "sealed-2"]);
    expect(sealedOf(twice, addMs(later, dayMs))).toEqual(["sealed-3"]);
  });

  it("is refused when ten old secrets are still valid", () => {
    let one = endpoint;
    for (let index = 0; index < 10; index += 1) one = rotated(one, `more-${index}`, now);
    expect(rotateSecret(one, "too many", now)).toMatchObject({ error: { code: "conflict" } });
    expect(rotateSecret(one, "next day", addMs(now, dayMs)).ok).toBe(true);
  });
});
