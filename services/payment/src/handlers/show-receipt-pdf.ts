import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import { hashContent } from "@malipo/print";
import type { Deps } from "../deps.ts";
import { findReceipt } from "../page/find-receipt.ts";
import { languageOf } from "../page/language.ts";

export const showReceiptPdf =
  (deps: Deps): RouteHandler<typeof routes.showReceiptPdf> =>
  async ({ params, query, languages }) => {
    const found = await findReceipt(deps, params.code);
    if (!found.ok) return found;
    const sheet = { receipt: found.value, language: languageOf(query.lang, languages) };
    const version = hashContent(JSON.stringify(sheet));
    const made = await deps.receiptPdfs.render(version, sheet);
    if (!made.ok) return made;
    return ok({ bytes: made.value, version, filename: `${found.value.receiptno}.pdf` });
  };
