import type { calls } from "@malipo/contracts";
import { err, notFound, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { cancelUnpaidInvoice } from "../../domain/invoice/change-invoice.ts";
import { creditIdOf } from "../../store/credits.ts";
import { applyCredit } from "../../workflows/apply-credit.ts";

export const cancelInvoice =
  (deps: Deps): RouteHandler<typeof calls.cancelInvoice> =>
  async ({ businessid, body: { invoiceid }, cause }) => {
    const found = await deps.invoices.find(businessid, invoiceid);
    if (!found) return err(notFound("invoice"));
    const { now, traceparent } = cause;
    if (found.owed !== null) {
      // An invoice that credit can pay is paid, not cancelled, also before the credit's event arrives.
      const holder = { businessid, customerid: found.customer.id };
      await applyCredit(deps, holder, { now, traceparent });
    }
    const updated = await deps.invoices.update(businessid, invoiceid, cause, (invoice) =>
      cancelUnpaidInvoice(invoice, { now, creditIdOf }),
    );
    if (!updated) return err(notFound("invoice"));
    if (updated.fault) return err(updated.fault);
    const { id, status } = updated.invoice;
    return ok({ data: { invoiceid: id, status } });
  };
