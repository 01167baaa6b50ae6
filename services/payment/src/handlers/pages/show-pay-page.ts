import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import { hashContent } from "@malipo/print";
import type { Deps } from "../../deps.ts";
import { chooseLanguage } from "../../pages/language.ts";
import { payPage, payPagePolicy } from "../../pages/pay/pay-page.ts";
import { findBill } from "../../workflows/find-bill.ts";

export const showPayPage =
  (deps: Deps): RouteHandler<typeof routes.showPayPage> =>
  async ({ params, query, languages, deadline }) => {
    const bill = await findBill(deps, params.code, deadline);
    if (!bill.ok) return bill;
    const bytes = payPage(bill.value, chooseLanguage(query.lang, languages));
    return ok({ bytes, version: hashContent(bytes), policy: payPagePolicy });
  };
