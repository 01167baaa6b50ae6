import type { routes } from "@malipo/contracts";
import { err, notFound, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { changeInvoice } from "../../domain/invoice/change-invoice.ts";
import { viewUpdated } from "../../domain/invoice/view-invoice.ts";
import { creditIdOf } from "../../store/credits.ts";

export const updateInvoice =
  ({ invoices }: Deps): RouteHandler<typeof routes.updateInvoice> =>
  async ({ businessid, params, body, cause }) => {
    const context = { now: cause.now, creditIdOf };
    const updated = await invoices.update(businessid, params.id, cause, (invoice) =>
      changeInvoice(invoice, body, context),
    );
    if (!updated) return err(notFound("invoice"));
    if (updated.fault) return err(updated.fault);
    const { id, invoiceno } = updated.invoice;
    return ok({ data: { _id: id, invoiceno, updated: viewUpdated(updated.invoice, body) } });
  };
