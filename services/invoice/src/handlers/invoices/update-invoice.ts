import type { routes } from "@malipo/contracts";
import { err, notFound, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import { changeInvoice } from "../../domain/invoice/change-invoice.ts";
import type { Deps } from "../../deps.ts";
import { viewUpdated } from "../../domain/invoice/view-invoice.ts";

export const updateInvoice =
  ({ invoices }: Deps): RouteHandler<typeof routes.updateInvoice> =>
  async ({ businessid, params, body, cause }) => {
    const changed = await invoices.change(businessid, params.id, cause, (invoice) =>
      changeInvoice(invoice, body, cause.now),
    );
    if (!changed) return err(notFound("invoice"));
    if (!changed.ok) return changed;
    const { id, invoiceno } = changed.value;
    return ok({ data: { _id: id, invoiceno, updated: viewUpdated(changed.value, body) } });
  };
