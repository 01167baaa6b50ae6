import type { EventType } from "@malipo/contracts";
import fc from "fast-check";
import { expect, it } from "vitest";
import { bodyOf, bundle, messageIdOf, type Outgoing } from "./bundle.ts";

type Numbered = Outgoing & { readonly record: number; readonly nth: number };

const types: readonly EventType[] = ["invoice.created", "invoice.updated", "invoice.paid"];

const records = fc
  .array(
    fc.array(fc.record({ type: fc.constantFrom(...types), size: fc.nat(100_000) }), {
      maxLength: 5,
    }),
    { maxLength: 120 },
  )
  .map((all) =>
    all.map((events, record) =>
      events.map(({ type, size }, nth): Numbered => ({
        record,
        nth,
        event: { id: `evt_${record}_${nth}`, type },
        text: JSON.stringify("x".repeat(size)),
      })),
    ),
  );

it("carries every event once, its record's in their order, in bounded messages of one type", () => {
  fc.assert(
    fc.property(records, (ofRecords) => {
      const bundles = bundle(ofRecords);
      const carried = bundles.flatMap(({ events }) => events);
      expect(carried).toHaveLength(ofRecords.flat().length);
      for (const [record, events] of ofRecords.entries()) {
        expect(carried.filter((one) => one.record === record)).toEqual(events);
      }
      for (const one of bundles) {
        expect(new Set(one.events.map(({ event }) => event.type))).toEqual(new Set([one.type]));
        expect(one.events.length).toBeLessThanOrEqual(100);
        expect(one.events.length === 1 || bodyOf(one).length < 257 * 1_024).toBe(true);
      }
      const ids = bundles.map(messageIdOf);
      expect(new Set(ids).size).toBe(ids.length);
    }),
    { numRuns: 50 },
  );
});

it("sends together what may go together", () => {
  const type = "invoice.created";
  const bundles = bundle(["a", "b", "c"].map((id) => [{ event: { id, type }, text: "1" }]));
  expect(bundles.map(bodyOf)).toEqual(["[1,1,1]"]);
});

it("is another message in other company, and the same one in the same", () => {
  const type = "invoice.created";
  const of = (...ids: string[]) =>
    messageIdOf({ type, events: ids.map((id) => ({ event: { id, type }, text: "1" })) });
  expect(of("a", "b", "c")).toBe(of("a", "b", "c"));
  expect(of("a", "b", "c")).not.toBe(of("a", "b", "d"));
  expect(of("a", "b", "c")).not.toBe(of("a", "c", "b"));
});

it("sends what is alone as itself", () => {
  const bundles = bundle([[{ event: { id: "a", type: "invoice.paid" }, text: '{"id":"a"}' }]]);
  expect(bundles.map(bodyOf)).toEqual(['{"id":"a"}']);
  expect(bundles.map(messageIdOf)).toEqual(["a"]);
});
