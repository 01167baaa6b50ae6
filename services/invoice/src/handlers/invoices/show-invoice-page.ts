import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import { hashContent } from "@malipo/print";
import type { Deps } from "../../deps.ts";
import { findPrint } from "../../pages/find-printable-invoice.ts";
import { invoicePage, invoicePagePolicy } from "../../pages/html/invoice-page.ts";

export const showInvoicePage =
  (deps: Deps): RouteHandler<typeof routes.showInvoicePage> =>
  async ({ params: { code } }) => {
    const found = await findPrint(deps, code);
    if (!found.ok) return found;
    const bytes = invoicePage(found.value);
    return ok({ bytes, version: hashContent(bytes), policy: invoicePagePolicy });
  };
