import type { routes } from "@malipo/contracts";
import { err, notFound, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { viewInvoice } from "../../domain/invoice/view-invoice.ts";

export const getInvoice =
  ({ invoices, publicUrl }: Deps): RouteHandler<typeof routes.getInvoice> =>
  async ({ businessid, params }) => {
    const invoice = await invoices.find(businessid, params.id);
    return invoice ? ok({ data: viewInvoice(invoice, publicUrl) }) : err(notFound("invoice"));
  };
