import type { routes } from "@malipo/contracts";
import { err, fault, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { findBill } from "../../workflows/find-bill.ts";
import { payBill } from "../../workflows/pay-bill.ts";
import { parsePhone } from "../../domain/prompt/phone-number.ts";
import { visitorAt } from "../../domain/visitor.ts";

export const payByPage =
  (deps: Deps): RouteHandler<typeof routes.payByPage> =>
  async ({ params, body, client, cause, deadline }) => {
    const phone = parsePhone(body.phone);
    if (phone === null) {
      const fields = [{ path: "phone", problem: "must be a Kenyan mobile number" }];
      return err(fault("invalid_request", { text: "Invalid phone number format", fields }));
    }
    const bill = await findBill(deps, params.code, deadline);
    if (!bill.ok) return bill;
    const { attempt, amount: shillings } = body;
    const context = {
      businessid: bill.value.businessid,
      cause: { ...cause, operationid: attempt },
      deadline,
    };
    const order = { attempt, phone, shillings, ...visitorAt(client, deps.hashAddress) };
    const paid = await payBill(deps, bill.value, order, context);
    return paid.ok ? ok({ data: paid.value }) : paid;
  };
