import type { routes } from "@malipo/contracts";
import { err, fault, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { describePayable } from "../payables.ts";
import { requestPayment, resumeRequest } from "../request-payment.ts";

const together = "must not be sent together with invoiceid";

export const handle =
  (deps: Deps): RouteHandler<typeof routes.requestMobilePayment> =>
  async ({ businessid, body, ...asked }) => {
    if (body.invoiceid !== undefined && body.paymentlinkid !== undefined) {
      const fields = [{ path: "paymentlinkid", problem: together }];
      return err(fault("invalid_request", { text: `paymentlinkid ${together}`, fields }));
    }
    const resumed = await resumeRequest(deps, { businessid, ...asked });
    if (resumed) return resumed.ok ? ok({ data: resumed.value }) : resumed;
    const payable = await describePayable(deps, businessid, body, asked.deadline);
    if (!payable.ok) return payable;
    const requested = await requestPayment(
      deps,
      { businessid, ...asked },
      {
        ...payable.value,
        amount: body.amount,
        phone: body.phone,
        referenceid: body.referenceid ?? payable.value.referenceid,
      },
    );
    return requested.ok ? ok({ data: requested.value }) : requested;
  };
