import { describe, expect, it } from "vitest";
import type { EventContract } from "../event.ts";
import { events } from "../events.ts";
import { serviceNames } from "../route.ts";
import { operationsOf } from "../routes.ts";
import { readSnapshot } from "./snapshots.ts";

const released = serviceNames.flatMap((service) => readSnapshot(service) ?? []);
const today: Readonly<Record<string, EventContract>> = events;

/** What a schema minds about a value; empty when it is taken. */
const objections = (parsed: { readonly error?: { readonly message: string } | undefined }) =>
  parsed.error?.message ?? "";

describe("what the release before sends", () => {
  const requests = released.flatMap(({ service, operations }) =>
    Object.entries(operations).map(
      ([verb, { samples }]) => [`${service}.${verb}`, { service, verb, samples }] as const,
    ),
  );

  it.each(requests)("is taken by %s", (_name, { service, verb, samples }) => {
    const operation = Object.values(operationsOf(service)).find((own) => own.verb === verb);
    if (!operation) throw new Error("nobody serves it");
    expect(samples.length).toBeGreaterThan(0);
    for (const { query = {}, body = {} } of samples) {
      expect(objections(operation.query.safeParse(query))).toBe("");
      expect(objections(operation.body.safeParse(body))).toBe("");
    }
  });

  const published = released.flatMap(({ events: types }) =>
    Object.entries(types).filter(([type]) => type in events),
  );

  it.each(published)("is read as %s", (type, { samples }) => {
    const contract = today[type];
    if (!contract) throw new Error("nobody reads it");
    expect(samples.length).toBeGreaterThan(0);
    for (const { data, inside } of samples) {
      expect(objections(contract.data.safeParse(data))).toBe("");
      expect(objections(contract.inside.safeParse(inside))).toBe("");
    }
  });
});
