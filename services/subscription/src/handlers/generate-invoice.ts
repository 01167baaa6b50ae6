import { calls, type routes } from "@malipo/contracts";
import { addMs, dayMs, err, notFound, ok } from "@malipo/core";
import { ask, type RouteHandler } from "@malipo/platform";
import { billingOf } from "../domain/lifecycle/billing.ts";
import { bringUpToDate } from "../workflows/bring-up-to-date.ts";
import { askByHand } from "../domain/lifecycle/commands.ts";
import type { Deps } from "../deps.ts";
import { lookOf } from "../workflows/billing-context.ts";

/** The same invoice until it is closed. Which one it is, the subscription holds. */
export const generateInvoice =
  (deps: Deps): RouteHandler<typeof routes.generateInvoice> =>
  async ({ businessid, params, cause, deadline }) => {
    const { subscriptions, businesses, service } = deps;
    const business = await businesses.get(businessid);
    if (!business.ok) return business;
    let closed: number | null = null;
    for (;;) {
      const found = await subscriptions.find(businessid, params.id);
      if (!found) return err(notFound("subscription"));
      const present = await bringUpToDate(deps, found, cause.now, deadline);
      if (!present.ok) return present;
      const decided = askByHand(present.value.entity, closed);
      if (!decided.ok) return decided;
      const { entity } = decided.value;
      if (entity !== present.value.entity) {
        await subscriptions.save(present.value, decided.value, cause);
      }
      const key = { why: "manual", of: String(entity.byhand.n) } as const;
      const { duedays } = lookOf(deps, business.value, entity, cause.now);
      const body = billingOf(entity, key, addMs(cause.now, duedays * dayMs));
      const issued = await ask(service, calls.issueInvoice, { businessid, body, deadline });
      if (!issued.ok) return issued;
      const { _id, invoiceno, status, balance, duedate, paymentlink } = issued.value;
      if ((status !== "paid" && status !== "cancelled") || closed !== null) {
        const invoice = { _id, invoiceno, status, balance, duedate };
        return ok({ data: { invoice, paymentlink } });
      }
      closed = entity.byhand.n;
    }
  };
