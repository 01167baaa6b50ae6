import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import { hashContent } from "@malipo/print";
import type { Deps } from "../../deps.ts";
import { findReceipt } from "../../pages/receipt/find-receipt.ts";
import { chooseLanguage } from "../../pages/language.ts";

export const showReceiptPdf =
  (deps: Deps): RouteHandler<typeof routes.showReceiptPdf> =>
  async ({ params, query, languages, deadline }) => {
    const found = await findReceipt(deps, params.code);
    if (!found.ok) return found;
    const { businessid, content } = found.value;
    const sheet = { receipt: content, language: chooseLanguage(query.lang, languages) };
    const version = hashContent(JSON.stringify(sheet));
    const pdf = await deps.receiptPdfs.render(version, sheet, { key: businessid, deadline });
    if (!pdf.ok) return pdf;
    return ok({ bytes: pdf.value, version, filename: `${content.receiptno}.pdf` });
  };
