import type { calls } from "@malipo/contracts";
import { assert, centsToShillings, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { findIssued } from "../../store/invoices.ts";
import { issueInvoices } from "../../workflows/issue-invoices.ts";
import { payAddress } from "../../domain/invoice/view-invoice.ts";

export const issueInvoice =
  (deps: Deps): RouteHandler<typeof calls.issueInvoice> =>
  async ({ businessid, body, cause }) => {
    // The key says what is the same; an operation of its own would only be a second one.
    const { now, traceparent } = cause;
    const order = { businessid, billing: body, issuedat: now, cause: { now, traceparent } };
    const [outcome] = await issueInvoices(deps, [order]);
    if (outcome && !outcome.ok) return outcome;
    const invoice = await findIssued(deps, businessid, body.key);
    assert(invoice !== null, "what was issued is there");
    return ok({
      data: {
        _id: invoice.id,
        invoiceno: invoice.invoiceno,
        status: invoice.status,
        balance: centsToShillings(invoice.balance),
        duedate: invoice.duedate.toISOString(),
        link: { _id: invoice.paylink.id, code: invoice.paylink.code },
        paymentlink: payAddress(invoice, deps.publicUrl),
      },
    });
  };
