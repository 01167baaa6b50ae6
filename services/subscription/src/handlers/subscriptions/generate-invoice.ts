import { calls, type routes } from "@malipo/contracts";
import { addMs, dayMs, err, notFound, ok } from "@malipo/core";
import { callService, type RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { toBilledData } from "../../domain/lifecycle/periods.ts";
import { billingContextOf } from "../../domain/lifecycle/change.ts";
import { requestManualInvoice } from "../../domain/lifecycle/commands.ts";
import { bringUpToDate } from "../../workflows/bring-up-to-date.ts";

/**
 * Answers the same manual invoice until it is closed, then the next one. The subscription holds the
 * number of the invoice, so a repeated request cannot issue a second one.
 */
export const generateInvoice =
  (deps: Deps): RouteHandler<typeof routes.generateInvoice> =>
  async ({ businessid, params, cause, deadline }) => {
    const { subscriptions, businesses, service, hours } = deps;
    const { now } = cause;
    const business = await businesses.get(businessid);
    if (!business.ok) return business;
    let closed: number | null = null;
    for (;;) {
      const found = await subscriptions.find(businessid, params.id);
      if (!found) return err(notFound("subscription"));
      const current = await bringUpToDate(deps, found, now, deadline);
      if (!current.ok) return current;
      const decided = requestManualInvoice(current.value.entity, closed);
      if (!decided.ok) return decided;
      const { entity } = decided.value;
      if (entity !== current.value.entity) {
        await subscriptions.save(current.value, decided.value, cause);
      }
      const { n } = entity.manualInvoice;
      const { duedays } = billingContextOf(business.value, entity, { now, hours });
      const duedate = addMs(now, duedays * dayMs);
      const body = toBilledData(entity, { why: "manual", of: String(n) }, duedate);
      const issued = await callService(service, calls.issueInvoice, { businessid, body, deadline });
      if (!issued.ok) return issued;
      const { _id, invoiceno, status, balance, duedate: due, paymentlink } = issued.value;
      const isClosed = status === "paid" || status === "cancelled";
      if (!isClosed || closed !== null) {
        const invoice = { _id, invoiceno, status, balance, duedate: due };
        return ok({ data: { invoice, paymentlink } });
      }
      closed = n;
    }
  };
