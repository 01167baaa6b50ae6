import type { BodyOf, calls } from "@malipo/contracts";
import { err, parseLinkOwner, notFound, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import type { Invoice } from "../../domain/invoice/invoice.ts";
import { findIssued } from "../../store/invoices.ts";
import { settleCredit } from "../../workflows/apply-credit.ts";
import { viewPayable } from "../../domain/invoice/view-owed.ts";

/** Credit is used before anybody is asked for money. */
export const describePayable =
  (deps: Deps): RouteHandler<typeof calls.describePayable> =>
  async ({ businessid, body, cause }) => {
    const named = await findNamed(deps, businessid, body);
    if (!named) return err(notFound("invoice"));
    const holder = { businessid: named.businessid, customerid: named.customer.id };
    if (named.owed !== null) await settleCredit(deps, holder, cause);
    const [invoice, customer, business] = await Promise.all([
      findById(deps, named.businessid, named.id),
      deps.customers.find(named.businessid, named.customer.id),
      deps.businesses.get(named.businessid),
    ]);
    if (!business.ok) return business;
    if (!invoice) return err(notFound("invoice"));
    const phone = customer ? customer.entity.phone : invoice.customer.phone;
    const { partpayment } = business.value.settings;
    return ok({ data: viewPayable(invoice, { phone, partpayment }, cause.now) });
  };

async function findNamed(
  deps: Deps,
  businessid: string,
  body: BodyOf<typeof calls.describePayable>,
): Promise<Invoice | null> {
  if ("code" in body) return findByCode(deps, body.code);
  if (businessid === "") return null;
  return "key" in body
    ? findIssued(deps, businessid, body.key)
    : findById(deps, businessid, body.invoiceid);
}

async function findByCode({ codes, invoices }: Deps, code: string): Promise<Invoice | null> {
  // The code of a printable invoice opens no payment.
  if (parseLinkOwner(code) !== "invoice") return null;
  const target = await codes.find(code);
  return target && findById({ invoices }, target.businessid, target.recordid);
}

async function findById(
  { invoices }: Pick<Deps, "invoices">,
  businessid: string,
  id: string,
): Promise<Invoice | null> {
  const found = await invoices.find(businessid, id);
  return found && found.entity;
}
