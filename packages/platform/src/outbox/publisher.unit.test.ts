import fc from "fast-check";
import type { ObjectId } from "mongodb";
import { describe, expect, it } from "vitest";
import { bookIdOf, newBookId, numberOf, ticketOf, ticketsAfter } from "./outbox-position.ts";
import { createTicketBook } from "./publisher.ts";

const id = newBookId(new Date("2026-11-21T08:00:00Z"));

describe("tickets", () => {
  it("stand in the order of their numbers, within those of their book", () => {
    const number = fc.integer({ min: 0, max: 0xffff_fffe });
    fc.assert(
      fc.property(number, number, (one, other) => {
        const { $gt, $lte } = ticketsAfter(id, one);
        const ticket = ticketOf(id, other);
        expect([bookIdOf(ticket), numberOf(ticket)]).toEqual([id, other]);
        const [hex, from, to] = [ticket, $gt, $lte].map((each) => each.toHexString());
        expect((hex ?? "") > (from ?? "") && (hex ?? "") <= (to ?? "")).toBe(other > one);
      }),
    );
  });
});

type Step = { readonly do: "draw" } | { readonly do: "done" | "leave"; readonly which: number };

describe("a ticket book", () => {
  it("has come as far as all before are done, whatever the order", () => {
    const which = fc.nat(20);
    const step: fc.Arbitrary<Step> = fc.oneof(
      fc.record({ do: fc.constant("draw" as const) }),
      fc.record({ do: fc.constantFrom("done" as const, "leave" as const), which }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const book = createTicketBook(id);
        const drawn: { ticket: ObjectId; state: "open" | "left" | "done" }[] = [];
        for (const each of steps) {
          if (each.do === "draw") drawn.push({ ticket: book.draw(), state: "open" });
          else {
            const one = drawn[each.which];
            if (!one) continue;
            book[each.do](one.ticket);
            if (each.do === "done") one.state = "done";
            else if (one.state === "open") one.state = "left";
          }
          const firstWaiting = drawn.findIndex(({ state }) => state !== "done");
          expect(book.upto).toBe(firstWaiting === -1 ? drawn.length : firstWaiting);
          expect(book.isAllDone).toBe(firstWaiting === -1);
          const left = drawn.filter(({ state }) => state === "left");
          expect(book.left.map(String).toSorted()).toEqual(
            left.map(({ ticket }) => String(ticket)),
          );
          expect(book.leftCount).toBe(left.length);
          for (const { ticket, state } of drawn) {
            expect(book.has(ticket)).toBe(true);
            expect(book.isDone(ticket)).toBe(state === "done");
          }
        }
      }),
    );
  });

  it("knows its own tickets only", () => {
    const other = createTicketBook(newBookId(new Date("2026-11-21T08:00:00Z")));
    expect(createTicketBook(id).has(other.draw())).toBe(false);
  });
});
