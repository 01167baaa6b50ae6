import { type BusinessView, calls, type PaymentLinkView } from "@malipo/contracts";
import {
  type Cents,
  cents,
  err,
  type Fault,
  linkOwnerOf,
  notFound,
  ok,
  parseShillings,
  type Result,
} from "@malipo/core";
import { ask } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { linkStatusAt } from "../domain/payment-link.ts";
import type { Debt } from "../domain/prompt/reservation.ts";
import { debtOf, noneLeft, nothing, purposeOf } from "./describe-payable.ts";
import type { Purpose } from "../domain/transaction/transaction.ts";

/** What a link asks for now. */
export interface Bill {
  readonly code: string;
  readonly businessid: string;
  readonly business: string;
  readonly status: PaymentLinkView["status"] | "suspended";
  readonly title: string;
  readonly description: string | null;
  /** Null for any amount. */
  readonly owed: Cents | null;
  readonly partpayment: boolean;
  /** Of what prompts reserve their amounts; null where any number may be under way at once. */
  readonly debt: Debt | null;
  readonly linkid: string;
  readonly purpose: Purpose;
  readonly referenceid: string | null;
}

type Found = Omit<Bill, "business" | "code">;

/** Asks who knows what is owed now. */
export async function findBill(
  deps: Deps,
  code: string,
  deadline: Date,
): Promise<Result<Bill, Fault>> {
  const found = await findUnder(deps, code, deadline);
  if (!found.ok) return found;
  const business = await deps.businesses.get(found.value.businessid);
  return business.ok ? ok(billTo(found.value, code, business.value)) : business;
}

async function findUnder(deps: Deps, code: string, deadline: Date): Promise<Result<Found, Fault>> {
  switch (linkOwnerOf(code)) {
    case "invoice":
      return billOfInvoice(deps, { body: { code }, deadline });
    case "subscription":
      return billOfSubscription(deps, code, deadline);
    default:
      return billOfLink(deps, code);
  }
}

function billTo(found: Found, code: string, { settings, status }: BusinessView): Bill {
  return {
    ...found,
    code,
    business: settings.displayname,
    status: status === "suspended" ? "suspended" : found.status,
  };
}

async function billOfInvoice(
  { service }: Deps,
  question: Parameters<typeof ask<typeof calls.describePayable>>[2],
): Promise<Result<Found, Fault>> {
  const asked = await ask(service, calls.describePayable, question);
  if (!asked.ok) return asked.error.code === "not_found" ? err(notFound("payment link")) : asked;
  const { businessid, link, ...invoice } = asked.value;
  const owed = parseShillings(invoice.owed);
  const balance = owed.ok ? owed.value : cents(0);
  return ok({
    businessid,
    status: invoice.payable || link.status !== "active" ? link.status : "cancelled",
    title: invoice.title,
    description: invoice.invoiceno,
    owed: balance,
    partpayment: invoice.partpayment,
    debt: debtOf(asked.value),
    linkid: link._id,
    purpose: purposeOf(asked.value),
    referenceid: null,
  });
}

/** Its oldest open invoice is what a subscription's link collects. */
async function billOfSubscription(
  deps: Deps,
  code: string,
  deadline: Date,
): Promise<Result<Found, Fault>> {
  const question = { body: { code }, deadline };
  const asked = await ask(deps.service, calls.describeSubscriptionLink, question);
  if (!asked.ok) return asked.error.code === "not_found" ? err(notFound("payment link")) : asked;
  const { businessid, invoiceid, subscriptionid, customerid, title } = asked.value;
  if (invoiceid !== null) return billOfInvoice(deps, { businessid, body: { invoiceid }, deadline });
  return ok({
    businessid,
    status: "paid",
    title,
    description: null,
    owed: cents(0),
    partpayment: false,
    debt: noneLeft,
    linkid: subscriptionid,
    purpose: { ...nothing, subscriptionid, customerid },
    referenceid: null,
  });
}

async function billOfLink(
  { codes, links, service }: Deps,
  code: string,
): Promise<Result<Found, Fault>> {
  const target = await codes.find(code);
  const link = target && (await links.find(target.businessid, target.recordid))?.entity;
  if (!link || link.code !== code) return err(notFound("payment link"));
  const { id, businessid, invoiceid, subscriptionid, title, description, referenceid } = link;
  return ok({
    businessid,
    status: linkStatusAt(link, service.clock()),
    title,
    description,
    owed: link.amount,
    partpayment: false,
    debt: link.reusable ? null : noneLeft,
    linkid: id,
    purpose: { ...nothing, invoiceid, subscriptionid, paymentlinkid: id },
    referenceid,
  });
}
