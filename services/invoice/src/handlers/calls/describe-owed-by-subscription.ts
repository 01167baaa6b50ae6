import type { calls } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { owedNow } from "../../domain/invoice/owed.ts";
import { settleCredit } from "../../workflows/apply-credit.ts";
import { viewOwed } from "../../domain/invoice/view-owed.ts";

export const describeOwedBySubscription =
  (deps: Deps): RouteHandler<typeof calls.describeOwedBySubscription> =>
  async ({ businessid, body, cause }) => {
    const subscriptionid = { $eq: body.subscriptionid.toLowerCase(), $gt: "" } as const;
    const whose = { "issuedfor.subscriptionid": subscriptionid };
    const [first] = await owedNow(deps, businessid, whose);
    const customerid = first?.customer.id;
    if (customerid) await settleCredit(deps, { businessid, customerid }, cause);
    return ok({ data: viewOwed(await owedNow(deps, businessid, whose), cause.now) });
  };
