import type { calls } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";

/**
 * A payment has arrived if its invoice holds it, or if a credit has its id: a full invoice holds no
 * more payments, so the whole amount becomes credit.
 */
export const findAppliedPayments =
  ({ invoices, credits }: Deps): RouteHandler<typeof calls.findAppliedPayments> =>
  async ({ body }) => {
    const payments = body.payments.map((payment) => ({
      ...payment,
      transactionid: payment.transactionid.toLowerCase(),
    }));
    const [holders, credited] = await Promise.all([
      invoices.listPaymentKeys(payments.map(({ invoiceid }) => invoiceid)),
      credits.findExisting(payments.map(({ transactionid }) => transactionid)),
    ]);
    const known = new Set([
      ...holders.flatMap(({ id, businessid, keys }) =>
        keys.map((key) => `${businessid} ${key} ${id}`),
      ),
      ...credited.map(({ id, businessid }) => `${businessid} ${id}`),
    ]);
    return ok({
      data: {
        known: payments.map(({ businessid, invoiceid, transactionid }) => {
          const key = `${businessid} ${transactionid}`;
          return known.has(`${key} ${invoiceid}`) || known.has(key);
        }),
      },
    });
  };
