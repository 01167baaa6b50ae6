import { describe, expect, it } from "vitest";
import { day, simulate } from "../../../test/simulated-subscription.ts";
import { advance } from "./advance.ts";
import { expire } from "./expiry.ts";
import { applyInvoiceUpdates } from "./invoice-updates.ts";

const context = { now: day(17), duedays: 3, hours: { from: 0, to: 24 } };

/** A weekly subscription without a payment, on the day it expires. */
function expiring() {
  const simulation = simulate({ autorenew: true });
  simulation.runTo(16);
  const owed = simulation.subscription.invoices.map(({ invoiceid, ...invoice }) => ({
    ...invoice,
    invoiceid: invoiceid ?? "",
    at: context.now,
  }));
  const begun = advance(simulation.subscription, { ...context, owed });
  expect(begun).toMatchObject({ nextStep: "cancel-invoices", entity: { expiringSince: day(17) } });
  const closed = owed.map((one) => ({ ...one, seq: one.seq + 1, state: "closed" as const }));
  return { subscription: begun.entity, closed };
}

describe("an expiry that was interrupted", () => {
  it("continues and does not reactivate the subscription when its invoices are cancelled already", () => {
    const { subscription, closed } = expiring();
    expect(applyInvoiceUpdates(subscription, closed, context.now, context)).toBeNull();
    const again = advance(subscription, { ...context, owed: [] });
    expect(again).toMatchObject({
      nextStep: "cancel-invoices",
      events: [],
      entity: { status: "pending" },
    });
    expect(expire(again.entity, context.now).entity).toMatchObject({ status: "expired" });
  });

  it("keeps the list of invoices to cancel, so that a paid one can refuse", () => {
    const { subscription, closed } = expiring();
    applyInvoiceUpdates(subscription, closed, context.now, context);
    const { entity } = advance(subscription, { ...context, owed: [] });
    expect(entity.invoices).toMatchObject([{ state: "open", invoiceid: closed[0]?.invoiceid }]);
  });
});
