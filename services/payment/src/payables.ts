import { type Cents, cents, err, type Fault, fault, notFound, ok, type Result } from "@malipo/core";
import type { Deps } from "./deps.ts";
import { linkStatusAt } from "./payment-link.ts";
import type { Purpose } from "./transaction.ts";

/** What a payment is for, and what is owed there now. */
export interface Payable {
  readonly purpose: Purpose;
  /** Null where any number of prompts may be under way at once. */
  readonly owed: Cents | null;
  readonly title: string;
  readonly referenceid: string | null;
}

interface Named {
  readonly invoiceid?: string | undefined;
  readonly paymentlinkid?: string | undefined;
}

const nothing: Purpose = {
  invoiceid: null,
  subscriptionid: null,
  customerid: null,
  paymentlinkid: null,
};

/** Asks who knows; what nobody names is a payment for nothing in particular. */
export async function describePayable(
  deps: Deps,
  businessid: string,
  { invoiceid, paymentlinkid }: Named,
  _deadline: Date,
): Promise<Result<Payable, Fault>> {
  if (invoiceid !== undefined) return err(notFound("invoice"));
  if (paymentlinkid !== undefined) return describeLink(deps, businessid, paymentlinkid);
  return ok({ purpose: nothing, owed: null, title: "Payment", referenceid: null });
}

async function describeLink(
  { links, service }: Deps,
  businessid: string,
  id: string,
): Promise<Result<Payable, Fault>> {
  const found = await links.find(businessid, id);
  if (!found) return err(notFound("payment link"));
  const link = found.entity;
  const status = linkStatusAt(link, service.clock());
  if (status !== "active") return err(fault("conflict", { text: `Payment link is ${status}` }));
  return ok({
    purpose: { ...nothing, paymentlinkid: link.id },
    // Of one that takes one payment only, nothing is left while a prompt is under way.
    owed: link.reusable ? null : cents(0),
    title: link.title,
    referenceid: link.referenceid,
  });
}
