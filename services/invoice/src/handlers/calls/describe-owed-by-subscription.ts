import type { calls } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { owedMax, viewOwed } from "../../domain/invoice/view-owed.ts";
import { previewOwed } from "../../workflows/apply-credit.ts";

export const describeOwedBySubscription =
  (deps: Deps): RouteHandler<typeof calls.describeOwedBySubscription> =>
  async ({ businessid, body, cause }) => {
    const found = await deps.invoices.listOwed(businessid, body, owedMax + 1);
    const invoices = await previewOwed(deps, businessid, found, cause.now);
    return ok({ data: viewOwed(invoices, cause.now) });
  };
