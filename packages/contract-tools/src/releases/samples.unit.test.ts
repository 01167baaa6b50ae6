import { describe, expect, it } from "vitest";
import { type EventContract, events, operationsOf, serviceNames } from "@malipo/contracts";
import { readSnapshot } from "./snapshots.ts";

const released = serviceNames.flatMap((service) => readSnapshot(service) ?? []);
const today: Readonly<Record<string, EventContract>> = events;

/** The text of a parse error; empty if the value was accepted. */
const problemOf = (parsed: { readonly error?: { readonly message: string } | undefined }) =>
  parsed.error?.message ?? "";

describe("a sample of the last release", () => {
  const requests = released.flatMap(({ service, operations }) =>
    Object.entries(operations).map(
      ([verb, { samples }]) => [`${service}.${verb}`, { service, verb, samples }] as const,
    ),
  );

  it.each(requests)("is accepted as a request by %s", (_name, { service, verb, samples }) => {
    const operation = Object.values(operationsOf(service)).find(
      (operation) => operation.verb === verb,
    );
    if (!operation) throw new Error("no service serves it");
    expect(samples.length).toBeGreaterThan(0);
    for (const { query = {}, body = {} } of samples) {
      expect(problemOf(operation.query.safeParse(query))).toBe("");
      expect(problemOf(operation.body.safeParse(body))).toBe("");
    }
  });

  const published = released.flatMap(({ events: types }) =>
    Object.entries(types).filter(([type]) => type in events),
  );

  it.each(published)("is accepted as the event %s", (type, { samples }) => {
    const contract = today[type];
    if (!contract) throw new Error("no contract describes it");
    expect(samples.length).toBeGreaterThan(0);
    for (const { data, inside } of samples) {
      expect(problemOf(contract.data.safeParse(data))).toBe("");
      expect(problemOf(contract.inside.safeParse(inside))).toBe("");
    }
  });
});
