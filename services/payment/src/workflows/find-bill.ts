import { type BusinessView, calls, type PaymentLinkView } from "@malipo/contracts";
import {
  type Cents,
  cents,
  err,
  type Fault,
  parseLinkOwner,
  notFound,
  ok,
  type Result,
} from "@malipo/core";
import { callService } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { linkStatusAt } from "../domain/payment-link.ts";
import { parsePhone } from "../domain/prompt/phone-number.ts";
import { debtOfInvoice, owedOn, purposeOfInvoice } from "../domain/prompt/payment-target.ts";
import { type Debt, singlePayment } from "../domain/prompt/reservation.ts";
import { noPurpose, type Purpose } from "../domain/transaction/transaction.ts";

/** The amount and the purpose that the page of a link asks for now. */
export interface Bill {
  readonly code: string;
  readonly businessid: string;
  /** The display name of the business. */
  readonly business: string;
  readonly status: PaymentLinkView["status"] | "suspended";
  readonly title: string;
  readonly description: string | null;
  /** Null for any amount. */
  readonly owed: Cents | null;
  readonly partpayment: boolean;
  /** The debt that prompts reserve their amounts of; null when any number may be under way at once. */
  readonly debt: Debt | null;
  readonly linkid: string;
  /** The phone of the customer who owes it, as 254 and nine digits; null if there is none. */
  readonly customerphone: string | null;
  readonly purpose: Purpose;
  readonly referenceid: string | null;
}

type LinkBill = Omit<Bill, "business" | "code">;

/** Finds the bill of a code. The owner of the debt is asked what is owed now. */
export async function findBill(
  deps: Deps,
  code: string,
  deadline: Date,
): Promise<Result<Bill, Fault>> {
  const found = await findLinkBill(deps, code, deadline);
  if (!found.ok) return found;
  const business = await deps.businesses.get(found.value.businessid);
  return business.ok ? ok(addBusiness(found.value, code, business.value)) : business;
}

async function findLinkBill(
  deps: Deps,
  code: string,
  deadline: Date,
): Promise<Result<LinkBill, Fault>> {
  switch (parseLinkOwner(code)) {
    case "invoice":
      return billOfInvoice(deps, { body: { code }, deadline });
    case "subscription":
      return billOfSubscription(deps, code, deadline);
    default:
      return billOfLink(deps, code);
  }
}

function addBusiness(bill: LinkBill, code: string, { settings, status }: BusinessView): Bill {
  return {
    ...bill,
    code,
    business: settings.displayname,
    status: status === "suspended" ? "suspended" : bill.status,
  };
}

async function billOfInvoice(
  { service }: Deps,
  question: Parameters<typeof callService<typeof calls.describePayable>>[2],
): Promise<Result<LinkBill, Fault>> {
  const answer = await callService(service, calls.describePayable, question);
  if (!answer.ok) return answer.error.code === "not_found" ? err(notFound("payment link")) : answer;
  const { businessid, link, ...invoice } = answer.value;
  return ok({
    businessid,
    status: invoice.payable || link.status !== "active" ? link.status : "cancelled",
    title: invoice.title,
    description: invoice.invoiceno,
    owed: owedOn(answer.value),
    partpayment: invoice.partpayment,
    debt: debtOfInvoice(answer.value),
    linkid: link._id,
    customerphone: parsePhone(invoice.customer.phone ?? ""),
    purpose: purposeOfInvoice(answer.value),
    referenceid: null,
  });
}

/** A subscription's link collects the oldest open invoice of the subscription. */
async function billOfSubscription(
  deps: Deps,
  code: string,
  deadline: Date,
): Promise<Result<LinkBill, Fault>> {
  const question = { body: { code }, deadline };
  const answer = await callService(deps.service, calls.describeSubscriptionLink, question);
  if (!answer.ok) return answer.error.code === "not_found" ? err(notFound("payment link")) : answer;
  const { businessid, invoiceid, subscriptionid, customerid, title } = answer.value;
  if (invoiceid !== null) return billOfInvoice(deps, { businessid, body: { invoiceid }, deadline });
  return ok({
    businessid,
    status: "paid",
    title,
    description: null,
    owed: cents(0),
    partpayment: false,
    debt: singlePayment,
    linkid: subscriptionid,
    customerphone: null,
    purpose: { ...noPurpose, subscriptionid, customerid },
    referenceid: null,
  });
}

/** A link that the business created. */
async function billOfLink(
  { codes, links, service }: Deps,
  code: string,
): Promise<Result<LinkBill, Fault>> {
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
    debt: link.reusable ? null : singlePayment,
    linkid: id,
    customerphone: null,
    purpose: { ...noPurpose, invoiceid, subscriptionid, paymentlinkid: id },
    referenceid,
  });
}
