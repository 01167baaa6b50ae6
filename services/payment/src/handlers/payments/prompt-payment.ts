import type { calls } from "@malipo/contracts";
import { err, fault, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { createTransaction } from "../../workflows/create-transaction.ts";

/** Prompts a phone for another service. The gateway did not check the business, so this does. */
export const promptPayment =
  (deps: Deps): RouteHandler<typeof calls.promptPayment> =>
  async ({ businessid, body, cause, deadline }) => {
    const business = await deps.businesses.get(businessid);
    if (!business.ok) return business;
    if (business.value.status === "suspended") return err(fault("business_suspended"));
    const created = await createTransaction(deps, { businessid, cause, deadline }, body);
    return created.ok ? ok({ data: created.value }) : created;
  };
