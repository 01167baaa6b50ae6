import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { viewSummary } from "../../domain/invoice/view-invoice.ts";

export const listInvoices =
  ({ invoices }: Deps): RouteHandler<typeof routes.listInvoices> =>
  async ({ businessid, query: { status, customerid, ...request } }) => {
    const filter = {
      ...(status !== undefined && { status }),
      ...(customerid !== undefined && { customerid }),
    };
    const page = await invoices.page(businessid, filter, request);
    return ok({ data: page.invoices.map(viewSummary), paging: page.paging });
  };
