import { calls, type Payable as InvoicePayable } from "@malipo/contracts";
import {
  type Cents,
  cents,
  err,
  type Fault,
  fault,
  formatShillings,
  notFound,
  ok,
  type Result,
} from "@malipo/core";
import { ask } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { askable, linkStatusAt, type PaymentLink, wholeShillings } from "../domain/payment-link.ts";
import type { Debt } from "../domain/prompt/reservation.ts";
import type { Purpose } from "../domain/transaction/transaction.ts";

/** What a payment is for, and what is owed there now. */
export interface Payable {
  readonly purpose: Purpose;
  /** Null where any number of prompts may be under way at once. */
  readonly debt: Debt | null;
  /** The least that may be asked for. */
  readonly least: Cents;
  readonly title: string;
  readonly referenceid: string | null;
}

interface Named {
  readonly invoiceid?: string | undefined;
  readonly paymentlinkid?: string | undefined;
}

/** For whom it is asked, and until when there is time. */
interface Asking {
  readonly businessid: string;
  readonly deadline: Date;
}

/** Of what takes one payment only, nothing is left while a prompt is under way. */
export const noneLeft: Debt = { owed: cents(0), counted: [] };

export const nothing: Purpose = {
  invoiceid: null,
  subscriptionid: null,
  customerid: null,
  paymentlinkid: null,
  invoiceno: null,
  customername: null,
};

/** Asks who knows; what nobody names is a payment for nothing in particular. */
export async function describePayable(
  deps: Deps,
  asking: Asking,
  { invoiceid, paymentlinkid }: Named,
): Promise<Result<Payable, Fault>> {
  if (invoiceid !== undefined) return payableOf(await askInvoice(deps, asking, invoiceid));
  if (paymentlinkid === undefined) {
    const any = { debt: null, least: cents(0), title: "Payment", referenceid: null };
    return ok({ purpose: nothing, ...any });
  }
  const found = await deps.links.find(asking.businessid, paymentlinkid);
  if (found?.entity.owner === "standalone") return ofOwn(found.entity, deps.service.clock());
  // The link of an invoice has the invoice's id, and may be newer than what we have heard.
  const answer = await askInvoice(deps, asking, paymentlinkid);
  return isUnknown(answer) ? err(notFound("payment link")) : payableOf(answer);
}

/** What is asked for by a link now: its owner knows. */
export async function presentLink(
  deps: Deps,
  asking: Asking,
  id: string,
): Promise<Result<PaymentLink, Fault>> {
  const found = await deps.links.find(asking.businessid, id);
  if (found?.entity.owner === "standalone") return ok(found.entity);
  const answer = await askInvoice(deps, asking, id);
  if (isUnknown(answer)) return err(notFound("payment link"));
  if (!answer.ok) return found ? ok(found.entity) : answer;
  const { invoiceid, link, title, owed, subscriptionid } = answer.value;
  const now = deps.service.clock();
  const amount = cents(Math.round(owed * 100));
  return ok({
    ...(found?.entity ?? {
      id: link._id,
      businessid: asking.businessid,
      owner: "invoice",
      code: link.code,
      description: null,
      reusable: false,
      expiresat: null,
      referenceid: null,
      invoiceid,
      subscriptionid,
      heardseq: 0,
      createdat: now,
      updatedat: now,
    }),
    title,
    amount: amount > 0 ? askable(amount) : cents(0),
    status: link.status === "expired" ? "cancelled" : link.status,
  });
}

function isUnknown(answer: Result<unknown, Fault>): boolean {
  return !answer.ok && answer.error.code === "not_found";
}

function askInvoice({ service }: Deps, { businessid, deadline }: Asking, invoiceid: string) {
  const soon = new Date(service.clock().getTime() + invoicePatienceMs);
  return ask(service, calls.describePayable, {
    businessid,
    body: { invoiceid },
    // What is left belongs to the provider.
    deadline: soon < deadline ? soon : deadline,
  });
}

const invoicePatienceMs = 4_000;

export function purposeOf({ customer, link, ...invoice }: InvoicePayable): Purpose {
  return {
    invoiceid: invoice.invoiceid,
    subscriptionid: invoice.subscriptionid,
    customerid: customer._id,
    paymentlinkid: link._id,
    invoiceno: invoice.invoiceno,
    customername: customer.name,
  };
}

export function debtOf({ owed, counted = [] }: InvoicePayable): Debt {
  return { owed: wholeShillings(cents(Math.round(owed * 100))), counted };
}

function payableOf(answer: Result<InvoicePayable, Fault>): Result<Payable, Fault> {
  if (!answer.ok) return answer;
  const { invoiceno, reason, ...said } = answer.value;
  if (reason !== null) return err(fault("conflict", { text: reason }));
  const owed = cents(Math.round(said.owed * 100));
  return ok({
    purpose: purposeOf(answer.value),
    debt: debtOf(answer.value),
    least: said.partpayment ? cents(0) : askable(owed),
    title: invoiceno,
    referenceid: null,
  });
}

function ofOwn(link: PaymentLink, now: Date): Result<Payable, Fault> {
  const status = linkStatusAt(link, now);
  if (status !== "active") return err(fault("conflict", { text: `Payment link is ${status}` }));
  return ok({
    purpose: { ...nothing, paymentlinkid: link.id },
    debt: link.reusable ? null : noneLeft,
    least: link.amount ?? cents(0),
    title: link.title,
    referenceid: link.referenceid,
  });
}

/** Where part payment is not allowed, all of it is asked for at once, as far as one prompt goes. */
export function judgeAmount(amount: Cents, { least }: Payable): Result<void, Fault> {
  if (amount >= least) return ok(undefined);
  const text = `It must be paid in full: at least ${formatShillings(least)}`;
  return err(fault("conflict", { text }));
}
