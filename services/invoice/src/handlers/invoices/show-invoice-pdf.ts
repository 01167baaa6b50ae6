import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import { hashContent } from "@malipo/print";
import type { Deps } from "../../deps.ts";
import { findPrint } from "../../pages/find-printable-invoice.ts";

export const showInvoicePdf =
  (deps: Deps): RouteHandler<typeof routes.showInvoicePdf> =>
  async ({ params: { code } }) => {
    const found = await findPrint(deps, code);
    if (!found.ok) return found;
    const version = hashContent(JSON.stringify(found.value));
    const made = await deps.pdfs.render(version, found.value);
    if (!made.ok) return made;
    return ok({ bytes: made.value, version, filename: `${found.value.invoiceno}.pdf` });
  };
