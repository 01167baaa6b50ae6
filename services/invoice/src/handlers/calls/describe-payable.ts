import { type BodyOf, type calls, coveredByCredit } from "@malipo/contracts";
import { err, notFound, ok, parseLinkOwner } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import type { Invoice } from "../../domain/invoice/invoice.ts";
import { isPayable, viewPayable } from "../../domain/invoice/view-owed.ts";
import { previewOwed } from "../../workflows/apply-credit.ts";

/** Subtracts the customer's unspent credit, because credit is used before the customer is prompted. */
export const describePayable =
  (deps: Deps): RouteHandler<typeof calls.describePayable> =>
  async ({ businessid, body, cause }) => {
    const found = await findInvoice(deps, businessid, body);
    if (!found) return err(notFound("invoice"));
    const [[invoice = found], customer, business] = await Promise.all([
      previewOwed(deps, found.businessid, [found], cause.now),
      deps.customers.find(found.businessid, found.customer.id),
      deps.businesses.get(found.businessid),
    ]);
    if (!business.ok) return business;
    const phone = customer ? customer.entity.phone : invoice.customer.phone;
    const { partpayment } = business.value.settings;
    const payable = viewPayable(invoice, { phone, partpayment }, cause.now);
    // The caller must not take this for final: the credit may still go to another invoice.
    const isCovered = !payable.payable && isPayable(found);
    return ok({ data: isCovered ? { ...payable, reason: coveredByCredit } : payable });
  };

async function findInvoice(
  { codes, invoices }: Deps,
  businessid: string,
  body: BodyOf<typeof calls.describePayable>,
): Promise<Invoice | null> {
  if ("code" in body) {
    // The code of a printable invoice opens no payment.
    if (parseLinkOwner(body.code) !== "invoice") return null;
    const target = await codes.find(body.code);
    return target && invoices.find(target.businessid, target.recordid);
  }
  if (businessid === "") return null;
  return "key" in body
    ? invoices.findIssued(businessid, body.key)
    : invoices.find(businessid, body.invoiceid);
}
