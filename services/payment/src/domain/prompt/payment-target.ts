import type { Payable } from "@malipo/contracts";
import {
  type Cents,
  cents,
  err,
  type Fault,
  fault,
  centsToShillings,
  ok,
  type Result,
  shillingsToCents,
} from "@malipo/core";
import { linkStatusAt, type PaymentLink } from "../payment-link.ts";
import { noPurpose, type Purpose } from "../transaction/transaction.ts";
import { promptAmountFor, roundUpToShilling } from "./amounts.ts";
import { type Debt, singlePayment } from "./reservation.ts";

/** What a request for a payment names: the purpose of the money, and the debt that it pays. */
export interface PaymentTarget {
  readonly purpose: Purpose;
  /** Null when any number of prompts may be under way at once. */
  readonly debt: Debt | null;
  /** The smallest amount that a prompt may ask for. */
  readonly least: Cents;
  readonly title: string;
  readonly referenceid: string | null;
}

/** A payment that names neither an invoice nor a link. */
export const plainPayment: PaymentTarget = {
  purpose: noPurpose,
  debt: null,
  least: cents(0),
  title: "Payment",
  referenceid: null,
};

/** From the invoice service's answer; a fault when the invoice cannot be paid. */
export function targetInvoice(invoice: Payable): Result<PaymentTarget, Fault> {
  const { invoiceno, reason, partpayment } = invoice;
  if (reason !== null) return err(fault("conflict", { text: reason }));
  return ok({
    purpose: purposeOfInvoice(invoice),
    debt: debtOfInvoice(invoice),
    least: partpayment ? cents(0) : promptAmountFor(owedOn(invoice)),
    title: invoiceno,
    referenceid: null,
  });
}

/** From a link that the business created; a fault when the link cannot be paid. */
export function targetLink(link: PaymentLink, now: Date): Result<PaymentTarget, Fault> {
  const status = linkStatusAt(link, now);
  if (status !== "active") return err(fault("conflict", { text: `Payment link is ${status}` }));
  return ok({
    purpose: { ...noPurpose, paymentlinkid: link.id },
    debt: link.reusable ? null : singlePayment,
    least: link.amount ?? cents(0),
    title: link.title,
    referenceid: link.referenceid,
  });
}

/** Without part payment, a prompt asks for the whole debt, or for as much as one prompt can. */
export function checkAmount(amount: Cents, { least }: PaymentTarget): Result<void, Fault> {
  if (amount >= least) return ok(undefined);
  const text = `It must be paid in full: at least ${centsToShillings(least)}`;
  return err(fault("conflict", { text }));
}

export function purposeOfInvoice({ customer, link, ...invoice }: Payable): Purpose {
  return {
    invoiceid: invoice.invoiceid,
    subscriptionid: invoice.subscriptionid,
    customerid: customer._id,
    paymentlinkid: link._id,
    invoiceno: invoice.invoiceno,
    customername: customer.name,
  };
}

export function debtOfInvoice(invoice: Payable): Debt {
  return { owed: roundUpToShilling(owedOn(invoice)), counted: invoice.counted ?? [] };
}

export function owedOn({ owed }: Payable): Cents {
  return shillingsToCents(owed);
}
