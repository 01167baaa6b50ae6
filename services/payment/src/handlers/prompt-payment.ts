import type { calls } from "@malipo/contracts";
import { err, fault, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { describePayable } from "../payables.ts";
import { requestPayment, resumeRequest } from "../request-payment.ts";

export const handle =
  (deps: Deps): RouteHandler<typeof calls.promptPayment> =>
  async ({ businessid, body, cause, deadline }) => {
    const asked = { businessid, cause, deadline };
    const resumed = await resumeRequest(deps, asked);
    if (resumed) return resumed.ok ? ok({ data: resumed.value }) : resumed;
    const business = await deps.businesses.get(businessid);
    if (!business.ok) return business;
    if (business.value.status === "suspended") return err(fault("business_suspended"));
    const payable = await describePayable(deps, businessid, body, deadline);
    if (!payable.ok) return payable;
    const requested = await requestPayment(deps, asked, {
      ...payable.value,
      amount: body.amount,
      phone: body.phone,
      referenceid: body.referenceid ?? payable.value.referenceid,
    });
    return requested.ok ? ok({ data: requested.value }) : requested;
  };
