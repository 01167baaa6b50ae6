import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import { hashContent } from "@malipo/print";
import type { Deps } from "../../deps.ts";
import { findPrintableInvoice } from "../../pages/find-printable-invoice.ts";

export const showInvoicePdf =
  (deps: Deps): RouteHandler<typeof routes.showInvoicePdf> =>
  async ({ params: { code } }) => {
    const found = await findPrintableInvoice(deps, code);
    if (!found.ok) return found;
    const version = hashContent(JSON.stringify(found.value));
    const made = await deps.pdfRenderer.render(version, found.value);
    if (!made.ok) return made;
    return ok({ bytes: made.value, version, filename: `${found.value.invoiceno}.pdf` });
  };
