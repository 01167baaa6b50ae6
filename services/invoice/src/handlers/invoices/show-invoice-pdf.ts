import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import { hashContent } from "@malipo/print";
import type { Deps } from "../../deps.ts";
import { findPrintableInvoice } from "../../pages/find-printable-invoice.ts";

export const showInvoicePdf =
  (deps: Deps): RouteHandler<typeof routes.showInvoicePdf> =>
  async ({ params: { code }, deadline }) => {
    const found = await findPrintableInvoice(deps, code);
    if (!found.ok) return found;
    const { businessid, invoice } = found.value;
    const version = hashContent(JSON.stringify(invoice));
    const turn = { key: businessid, deadline };
    const made = await deps.pdfRenderer.render(version, invoice, turn);
    if (!made.ok) return made;
    return ok({ bytes: made.value, version, filename: `${invoice.invoiceno}.pdf` });
  };
