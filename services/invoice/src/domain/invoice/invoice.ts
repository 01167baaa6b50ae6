import type { InvoiceStatus, IssuedFor, IssueKey, NewEvent } from "@malipo/contracts";
import { type BasisPoints, basisPoints, bucketOf, type Cents, cents, sumCents } from "@malipo/core";
import { awaitsDueDate, isOpen } from "./status.ts";
import { type Discount, type Line, type Totals, totalsOf } from "./totals.ts";

export interface InvoiceItem extends Line {
  readonly itemid: string;
  readonly name: string;
}

/** As the customer was when the invoice was made: later changes do not rewrite it. */
export interface InvoiceCustomer {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  readonly phone: string | null;
}

export function asOnInvoice({ id, name, email, phone }: InvoiceCustomer): InvoiceCustomer {
  return { id, name, email, phone };
}

export interface InvoiceTax {
  readonly id: string;
  readonly title: string;
  readonly rate: BasisPoints;
}

/** Money that came in, under the id of its transaction or the key of the credit it is. */
export interface InvoicePayment {
  readonly key: string;
  readonly amount: Cents;
  /** What of it stands on this invoice; the rest is the customer's credit. */
  readonly applied: Cents;
  readonly at: Date;
  /** M-Pesa's number for it, if that was known when the money came. */
  readonly momoreceiptnumber?: string;
}

/** A live prompt: until then its amount is spoken for. */
export interface Reservation {
  readonly transactionid: string;
  readonly amount: Cents;
  readonly until: Date;
}

/** All that is decided about an invoice. */
export interface InvoiceState {
  readonly id: string;
  readonly businessid: string;
  readonly invoiceno: string;
  readonly title: string;
  readonly description: string | null;
  readonly remark: string | null;
  readonly status: InvoiceStatus;
  readonly customer: InvoiceCustomer;
  readonly items: readonly InvoiceItem[];
  readonly discount: Discount;
  readonly tax: InvoiceTax | null;
  readonly payments: readonly InvoicePayment[];
  /** What was settled outside of the service when somebody set it to paid. */
  readonly settled: Cents;
  readonly reservations: readonly Reservation[];
  /** The due dates on which it has turned overdue: on none of them twice. */
  readonly judged: readonly Date[];
  readonly invoicedate: Date;
  readonly duedate: Date;
  /** Opens the printable invoice. */
  readonly code: string;
  /** Its id is the invoice's own: an invoice has one. */
  readonly paylink: { readonly id: string; readonly code: string };
  /** What it was issued for, if a subscription asked for it. */
  readonly issuedfor: IssuedFor | null;
  readonly createdat: Date;
  readonly updatedat: Date;
}

/** How often it could not be turned overdue, why, and since when nobody tries any more. */
export interface DueFailed {
  readonly tries: number;
  readonly reason: string;
  readonly at: Date;
  readonly parkedat: Date | null;
}

/** With what follows from it, so that it can be listed and found by it. */
export interface Invoice extends InvoiceState {
  readonly balance: Cents;
  /** The balance while it asks for money, else null. */
  readonly owed: Cents | null;
  /** When it turns overdue, null when it does not. */
  readonly dueat: Date | null;
  /** What came of working it off, as long as that fails: every change forgets it. */
  readonly duefailed: DueFailed | null;
  readonly bucket: number;
  /** Unique in the business: issued once, however often it is asked for. */
  readonly issuekey: string | null;
}

export interface InvoiceChange {
  readonly entity: Invoice;
  readonly events: readonly NewEvent[];
}

export function totalsOfInvoice({ items, discount, tax }: InvoiceState): Totals {
  return totalsOf(items, discount, tax?.rate ?? basisPoints(0));
}

/** The real money and the credit that stand on it. */
export function appliedOn({ payments }: Pick<InvoiceState, "payments">): Cents {
  return sumCents(payments.map(({ applied }) => applied));
}

/** Every decision ends here. */
export function reckon(state: InvoiceState): Invoice {
  const { id, status, duedate, issuedfor } = state;
  const balance = cents(totalsOfInvoice(state).total - appliedOn(state) - state.settled);
  return {
    ...state,
    balance,
    owed: isOpen(status) && balance > 0 ? balance : null,
    dueat: awaitsDueDate(status) && balance > 0 && !isJudged(state) ? duedate : null,
    duefailed: null,
    bucket: bucketOf(id),
    issuekey: issuedfor && textOfKey(issuedfor),
  };
}

type Judged = Pick<InvoiceState, "duedate" | "judged">;

function isJudged({ duedate, judged }: Judged): boolean {
  return judged.some((date) => date.getTime() === duedate.getTime());
}

/** It was overdue, and somebody has set it not to be: so it stays, whatever its date. */
export function excuseOf(invoice: Judged & Pick<InvoiceState, "status">): { excused?: true } {
  return awaitsDueDate(invoice.status) && isJudged(invoice) ? { excused: true } : {};
}

export function textOfKey({ subscriptionid, why, of }: IssueKey): string {
  return `${subscriptionid.toLowerCase()}:${why}:${of}`;
}

export function reservedOn({ reservations }: Invoice, now: Date): Cents {
  const live = reservations.filter(({ until }) => until > now);
  return sumCents(live.map(({ amount }) => amount));
}
