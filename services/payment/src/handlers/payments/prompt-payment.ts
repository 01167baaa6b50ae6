import type { calls } from "@malipo/contracts";
import { err, fault, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { placeOrder } from "../../workflows/place-order.ts";

export const promptPayment =
  (deps: Deps): RouteHandler<typeof calls.promptPayment> =>
  async ({ businessid, body, cause, deadline }) => {
    const business = await deps.businesses.get(businessid);
    if (!business.ok) return business;
    if (business.value.status === "suspended") return err(fault("business_suspended"));
    const placed = await placeOrder(deps, { businessid, cause, deadline }, body);
    return placed.ok ? ok({ data: placed.value }) : placed;
  };
