import type { calls } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { owedNow } from "../owed.ts";
import { settleCredit } from "../settle-credit.ts";
import { viewOwed } from "../view-owed.ts";

export const owedByCustomer =
  (deps: Deps): RouteHandler<typeof calls.owedByCustomer> =>
  async ({ businessid, body, cause }) => {
    const customerid = body.customerid.toLowerCase();
    await settleCredit(deps, { businessid, customerid }, cause);
    const owed = await owedNow(deps, businessid, { "customer.id": customerid });
    return ok({ data: viewOwed(owed, cause.now) });
  };
