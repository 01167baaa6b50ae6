import type { calls } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { owedNow } from "../../domain/invoice/owed.ts";
import { settleCredit } from "../../workflows/apply-credit.ts";
import { viewOwed } from "../../domain/invoice/view-owed.ts";

export const describeOwedByCustomer =
  (deps: Deps): RouteHandler<typeof calls.describeOwedByCustomer> =>
  async ({ businessid, body, cause }) => {
    const customerid = body.customerid.toLowerCase();
    await settleCredit(deps, { businessid, customerid }, cause);
    const owed = await owedNow(deps, businessid, { "customer.id": customerid });
    return ok({ data: viewOwed(owed, cause.now) });
  };
