import type { calls } from "@malipo/contracts";
import { err, type Fault, notFound, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import { cancelUnpaid } from "../../domain/invoice/change-invoice.ts";
import type { Deps } from "../../deps.ts";

export const cancelInvoice =
  ({ invoices }: Deps): RouteHandler<typeof calls.cancelInvoice> =>
  async ({ businessid, body, cause }) => {
    let refusal: Fault | null = null;
    const invoice = await invoices.amend(businessid, body.invoiceid, cause, (invoice) => {
      const cancelled = cancelUnpaid(invoice, cause.now);
      refusal = cancelled.ok ? null : cancelled.error;
      return cancelled.ok ? cancelled.value : null;
    });
    if (!invoice) return err(notFound("invoice"));
    if (refusal) return err(refusal);
    return ok({ data: { invoiceid: invoice.id, status: invoice.status } });
  };
