import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import { hashContent } from "@malipo/print";
import type { Deps } from "../deps.ts";
import { findReceipt } from "../page/find-receipt.ts";
import { languageOf } from "../page/language.ts";
import { receiptPage, receiptPagePolicy } from "../page/receipt-page.ts";

export const showReceiptPage =
  (deps: Deps): RouteHandler<typeof routes.showReceiptPage> =>
  async ({ params, query, languages }) => {
    const found = await findReceipt(deps, params.code);
    if (!found.ok) return found;
    const bytes = receiptPage(found.value, languageOf(query.lang, languages));
    return ok({ bytes, version: hashContent(bytes), policy: receiptPagePolicy });
  };
