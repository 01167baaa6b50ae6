import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newPublisherId, type OutboxPosition } from "./outbox-position.ts";
import { createPublisher } from "./publisher.ts";

const id = newPublisherId(new Date("2026-11-21T08:00:00Z"));

type Step =
  | { readonly do: "reserve" }
  | { readonly do: "complete" | "deferToSweep"; readonly which: number };

describe("a publisher", () => {
  it("has its watermark before the first incomplete position, for any order of completion", () => {
    const which = fc.nat(20);
    const step: fc.Arbitrary<Step> = fc.oneof(
      fc.record({ do: fc.constant("reserve" as const) }),
      fc.record({ do: fc.constantFrom("complete" as const, "deferToSweep" as const), which }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const publisher = createPublisher(id);
        const reserved: {
          position: OutboxPosition;
          state: "pending" | "deferred" | "complete";
        }[] = [];
        for (const each of steps) {
          if (each.do === "reserve") {
            reserved.push({ position: publisher.reserve(), state: "pending" });
          } else {
            const one = reserved[each.which];
            if (!one) continue;
            publisher[each.do](one.position);
            if (each.do === "complete") one.state = "complete";
            else if (one.state === "pending") one.state = "deferred";
          }
          const firstOpen = reserved.findIndex(({ state }) => state !== "complete");
          expect(publisher.watermark).toBe(firstOpen === -1 ? reserved.length : firstOpen);
          expect(publisher.hasPending).toBe(firstOpen !== -1);
          const deferred = reserved.filter(({ state }) => state === "deferred");
          expect(publisher.deferredCount).toBe(deferred.length);
          expect(publisher.deferred.map(({ sequence }) => sequence).toSorted(ascending)).toEqual(
            deferred.map(({ position }) => position.sequence),
          );
          for (const { position, state } of reserved) {
            expect(publisher.owns(position)).toBe(true);
            expect(publisher.isComplete(position)).toBe(state === "complete");
          }
        }
      }),
    );
  });

  it("does not own the positions of another publisher of the same second", () => {
    const other = createPublisher(newPublisherId(new Date("2026-11-21T08:00:00Z")));
    expect(createPublisher(id).owns(other.reserve())).toBe(false);
  });
});

function ascending(one: number, other: number): number {
  return one - other;
}
