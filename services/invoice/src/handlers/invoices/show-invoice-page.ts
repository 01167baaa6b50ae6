import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import { hashContent } from "@malipo/print";
import type { Deps } from "../../deps.ts";
import { findPrintableInvoice } from "../../pages/find-printable-invoice.ts";
import { renderInvoicePage, invoicePagePolicy } from "../../pages/html/invoice-page.ts";

export const showInvoicePage =
  (deps: Deps): RouteHandler<typeof routes.showInvoicePage> =>
  async ({ params: { code } }) => {
    const found = await findPrintableInvoice(deps, code);
    if (!found.ok) return found;
    const bytes = renderInvoicePage(found.value.invoice);
    return ok({ bytes, version: hashContent(bytes), policy: invoicePagePolicy });
  };
