import type { routes } from "@malipo/contracts";
import { err, fault, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { placeOrder } from "../../workflows/place-order.ts";

const together = "must not be sent together with invoiceid";

export const requestMobilePayment =
  (deps: Deps): RouteHandler<typeof routes.requestMobilePayment> =>
  async ({ businessid, body, cause, deadline }) => {
    if (body.invoiceid !== undefined && body.paymentlinkid !== undefined) {
      const fields = [{ path: "paymentlinkid", problem: together }];
      return err(fault("invalid_request", { text: `paymentlinkid ${together}`, fields }));
    }
    const placed = await placeOrder(deps, { businessid, cause, deadline }, body);
    return placed.ok ? ok({ data: placed.value }) : placed;
  };
