import type { routes } from "@malipo/contracts";
import { err, fault, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { createTransaction } from "../../workflows/create-transaction.ts";

export const requestMobilePayment =
  (deps: Deps): RouteHandler<typeof routes.requestMobilePayment> =>
  async ({ businessid, body, cause, deadline }) => {
    if (body.invoiceid !== undefined && body.paymentlinkid !== undefined) {
      const problem = "must not be sent together with invoiceid";
      const fields = [{ path: "paymentlinkid", problem }];
      return err(fault("invalid_request", { text: `paymentlinkid ${problem}`, fields }));
    }
    const created = await createTransaction(deps, { businessid, cause, deadline }, body);
    return created.ok ? ok({ data: created.value }) : created;
  };
