import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import { versionOf } from "@malipo/print";
import type { Deps } from "../../deps.ts";
import { findReceipt } from "../../pages/receipt/find-receipt.ts";
import { languageOf } from "../../pages/language.ts";

export const showReceiptPdf =
  (deps: Deps): RouteHandler<typeof routes.showReceiptPdf> =>
  async ({ params, query, languages }) => {
    const found = await findReceipt(deps, params.code);
    if (!found.ok) return found;
    const sheet = { receipt: found.value, language: languageOf(query.lang, languages) };
    const version = versionOf(JSON.stringify(sheet));
    const made = await deps.receiptPdfs.of(version, sheet);
    if (!made.ok) return made;
    return ok({ bytes: made.value, version, filename: `${found.value.receiptno}.pdf` });
  };
