import type { calls } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { excusedField } from "../../domain/invoice/invoice.ts";

export const findIssuedInvoices =
  ({ invoices }: Deps): RouteHandler<typeof calls.findIssuedInvoices> =>
  async ({ body: { bills } }) => {
    const found = await invoices.findIssuedMany(bills);
    return ok({
      data: {
        invoices: found.map((invoice) => {
          if (!invoice) return null;
          const { id, status, duedate, seq } = invoice;
          return {
            _id: id,
            status,
            duedate: duedate.toISOString(),
            ...excusedField(invoice),
            seq,
          };
        }),
      },
    });
  };
