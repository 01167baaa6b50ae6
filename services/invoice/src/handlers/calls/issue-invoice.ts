import type { calls } from "@malipo/contracts";
import { assert, centsToShillings, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { buildPayUrl } from "../../domain/invoice/view-invoice.ts";
import { issueInvoices } from "../../workflows/issue-invoices.ts";

export const issueInvoice =
  (deps: Deps): RouteHandler<typeof calls.issueInvoice> =>
  async ({ businessid, body, cause }) => {
    // The issue key makes the call idempotent, so the operation id is left out.
    const { now, traceparent } = cause;
    const order = { businessid, billing: body, issuedat: now, cause: { now, traceparent } };
    const [outcome] = await issueInvoices(deps, [order]);
    if (outcome && !outcome.ok) return outcome;
    const invoice = await deps.invoices.findIssued(businessid, body.key);
    assert(invoice !== null, "an issued invoice is found by its key");
    return ok({
      data: {
        _id: invoice.id,
        invoiceno: invoice.invoiceno,
        status: invoice.status,
        balance: centsToShillings(invoice.balance),
        duedate: invoice.duedate.toISOString(),
        link: { _id: invoice.paylink.id, code: invoice.paylink.code },
        paymentlink: buildPayUrl(invoice, deps.publicUrl),
      },
    });
  };
