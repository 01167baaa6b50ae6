import type { EventType } from "@malipo/contracts";
import fc from "fast-check";
import { expect, it } from "vitest";
import { bodyOf, messagesFor, messageIdOf, type OutgoingEvent } from "./publish-events.ts";

type Numbered = OutgoingEvent & { readonly record: number; readonly nth: number };

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

it("every event is in one message, in the order of its record; messages have one type and a limited size", () => {
  fc.assert(
    fc.property(records, (ofRecords) => {
      const messages = messagesFor(ofRecords);
      const carried = messages.flatMap(({ events }) => events);
      expect(carried).toHaveLength(ofRecords.flat().length);
      for (const [record, events] of ofRecords.entries()) {
        expect(carried.filter((one) => one.record === record)).toEqual(events);
      }
      for (const one of messages) {
        expect(new Set(one.events.map(({ event }) => event.type))).toEqual(new Set([one.type]));
        expect(one.events.length).toBeLessThanOrEqual(100);
        expect(one.events.length === 1 || bodyOf(one).length < 257 * 1_024).toBe(true);
      }
      const ids = messages.map(messageIdOf);
      expect(new Set(ids).size).toBe(ids.length);
    }),
    { numRuns: 50 },
  );
});

it("events of one type share a message", () => {
  const type = "invoice.created";
  const messages = messagesFor(["a", "b", "c"].map((id) => [{ event: { id, type }, text: "1" }]));
  expect(messages.map(bodyOf)).toEqual(["[1,1,1]"]);
});

it("a message id depends on the events and on their order", () => {
  const type = "invoice.created";
  const of = (...ids: string[]) =>
    messageIdOf({ type, events: ids.map((id) => ({ event: { id, type }, text: "1" })) });
  expect(of("a", "b", "c")).toBe(of("a", "b", "c"));
  expect(of("a", "b", "c")).not.toBe(of("a", "b", "d"));
  expect(of("a", "b", "c")).not.toBe(of("a", "c", "b"));
});

it("a single event is sent without a list around it", () => {
  const messages = messagesFor([
    [{ event: { id: "a", type: "invoice.paid" }, text: '{"id":"a"}' }],
  ]);
  expect(messages.map(bodyOf)).toEqual(['{"id":"a"}']);
  expect(messages.map(messageIdOf)).toEqual(["a"]);
});
