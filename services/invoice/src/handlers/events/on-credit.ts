import type { EventOf } from "@malipo/contracts";
import { cents } from "@malipo/core";
import type { Cause, EventHandler, HandlerFailure } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { applyCredit } from "../../workflows/apply-credit.ts";
import { applyPayment } from "../../workflows/apply-payment.ts";

/**
 * Moves money from an invoice to a credit, and from a credit to an invoice. Usually the process that
 * caused the event has already done so; the event completes the move after a crash.
 */
export const onCredit =
  (deps: Deps): EventHandler<"credit.*"> =>
  async (events) => {
    const failures: HandlerFailure[] = [];
    for (const event of events) {
      const { businessid, traceparent } = event;
      const cause: Cause = { now: deps.service.clock(), traceparent };
      if (event.type === "credit.granted") await grant(deps, event, cause);
      else {
        const { invoiceid, key, customerid } = event.data;
        const payment = { key, amount: cents(event.data.cents), at: new Date(event.at) };
        const applied = await applyPayment(deps, businessid, invoiceid, payment, cause);
        if (!applied) failures.push({ event: event.id, reason: `no invoice ${invoiceid}` });
        // The rest of the credit, and a surplus of this use, had to wait until the invoice received it.
        else await applyCredit(deps, { businessid, customerid }, cause);
      }
    }
    return failures;
  };

async function grant(
  deps: Deps,
  { businessid, data }: EventOf<"credit.granted">,
  cause: Cause,
): Promise<void> {
  const { customerid, invoiceid, grants } = data;
  for (const { creditid, cents: granted } of grants) {
    const origin = { businessid, customerid, invoiceid };
    await deps.credits.grant(origin, { creditid, granted: cents(granted) }, cause);
  }
  await applyCredit(deps, { businessid, customerid }, cause);
}
