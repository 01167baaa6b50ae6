import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import { hashContent } from "@malipo/print";
import type { Deps } from "../../deps.ts";
import { findReceipt } from "../../pages/receipt/find-receipt.ts";
import { chooseLanguage } from "../../pages/language.ts";
import { receiptPage, receiptPagePolicy } from "../../pages/receipt/receipt-page.ts";

export const showReceiptPage =
  (deps: Deps): RouteHandler<typeof routes.showReceiptPage> =>
  async ({ params, query, languages }) => {
    const found = await findReceipt(deps, params.code);
    if (!found.ok) return found;
    const bytes = receiptPage(found.value.content, chooseLanguage(query.lang, languages));
    return ok({ bytes, version: hashContent(bytes), policy: receiptPagePolicy });
  };
