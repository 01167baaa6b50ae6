import { describe, expect, it } from "vitest";
import { day, story } from "../../../test/story.ts";
import { advance, expire } from "./advance.ts";
import { hearInvoices } from "../../workflows/apply-invoice-updates.ts";

const look = { now: day(17), duedays: 3, hours: { from: 0, to: 24 } };

/** A weekly one that was never paid, at the moment at which its patience is at an end. */
function expiring() {
  const life = story({ autorenew: true });
  life.until(16);
  const owed = life.subscription.invoices.map(({ invoiceid, ...invoice }) => ({
    ...invoice,
    invoiceid: invoiceid ?? "",
    at: look.now,
  }));
  const begun = advance(life.subscription, { ...look, owed });
  expect(begun).toMatchObject({ want: "cancellation", entity: { expiring: day(17) } });
  const closed = owed.map((one) => ({ ...one, seq: one.seq + 1, state: "closed" as const }));
  return { subscription: begun.entity, closed };
}

describe("an expiry that was broken off", () => {
  it("is no settlement, though its invoices are cancelled by now: it goes on", () => {
    const { subscription, closed } = expiring();
    expect(hearInvoices(subscription, closed, look.now, look)).toBeNull();
    const again = advance(subscription, { ...look, owed: [] });
    expect(again).toMatchObject({
      want: "cancellation",
      events: [],
      entity: { status: "pending" },
    });
    expect(expire(again.entity, look.now).entity).toMatchObject({ status: "expired" });
  });

  it("remembers which invoices it has to cancel, so that a paid one can refuse", () => {
    const { subscription, closed } = expiring();
    hearInvoices(subscription, closed, look.now, look);
    const { entity } = advance(subscription, { ...look, owed: [] });
    expect(entity.invoices).toMatchObject([{ state: "open", invoiceid: closed[0]?.invoiceid }]);
  });
});
