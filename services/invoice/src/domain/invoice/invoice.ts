import type { InvoiceStatus, IssuedFor, IssueKey, NewEvent } from "@malipo/contracts";
import { type BasisPoints, basisPoints, bucketOf, type Cents, cents, sumCents } from "@malipo/core";
import { awaitsDueDate, isOpen } from "./status.ts";
import { computeTotals, type Discount, type Line, type Totals } from "./totals.ts";

export interface InvoiceItem extends Line {
  readonly itemid: string;
  readonly name: string;
}

/** A copy of the customer at the time of creation. Later changes of the customer do not change it. */
export interface InvoiceCustomer {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  readonly phone: string | null;
}

export function copyCustomer({ id, name, email, phone }: InvoiceCustomer): InvoiceCustomer {
  return { id, name, email, phone };
}

export interface InvoiceTax {
  readonly id: string;
  readonly title: string;
  readonly rate: BasisPoints;
}

export interface InvoicePayment {
  /** The id of the transaction, or the key of a use of credit. */
  readonly key: string;
  readonly amount: Cents;
  /** The part that pays this invoice. The rest is credit of the customer. */
  readonly applied: Cents;
  readonly at: Date;
  /** M-Pesa's receipt number, if it was known when the money arrived. */
  readonly momoreceiptnumber?: string;
}

/** The amount that an open prompt may still pay. */
export interface Reservation {
  readonly transactionid: string;
  readonly amount: Cents;
  readonly until: Date;
}

/** The facts about an invoice. Everything else is derived from them. */
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
  /** The balance that was paid outside of the service, according to a PATCH to paid. */
  readonly paidOutside: Cents;
  readonly reservations: readonly Reservation[];
  /** The due dates that have turned the invoice overdue. Each due date does so once. */
  readonly appliedDueDates: readonly Date[];
  readonly invoicedate: Date;
  readonly duedate: Date;
  /** Opens the printable invoice. */
  readonly code: string;
  /** An invoice has one pay link. The link's id is the invoice's id. */
  readonly paylink: { readonly id: string; readonly code: string };
  /** The billed period or request of a subscription; null for an invoice that a business created. */
  readonly issuedfor: IssuedFor | null;
  readonly createdat: Date;
  readonly updatedat: Date;
}

/** The failed attempts to turn an invoice overdue. */
export interface OverdueFailure {
  readonly tries: number;
  readonly reason: string;
  readonly at: Date;
  /** Set after the last attempt: the invoice then waits for an operator. */
  readonly parkedat: Date | null;
}

/** An invoice with the derived fields that lists and indexes need. */
export interface Invoice extends InvoiceState {
  readonly balance: Cents;
  /** The balance of an open invoice; null if nothing is asked for. */
  readonly owed: Cents | null;
  /** When the invoice turns overdue; null if it will not. */
  readonly dueat: Date | null;
  /** Null after every change, so that a changed invoice gets a full number of attempts. */
  readonly overdueFailure: OverdueFailure | null;
  readonly bucket: number;
  /** Unique in the business, so that a repeated order issues no second invoice. */
  readonly issuekey: string | null;
}

/** The part of an invoice that lists show. */
export type SummarizedInvoice = Pick<
  Invoice,
  "id" | "invoiceno" | "title" | "status" | "balance" | "duedate" | "createdat"
>;

/** An invoice after a decision, and the events that the decision caused. */
export interface InvoiceChange {
  readonly entity: Invoice;
  readonly events: readonly NewEvent[];
}

/** The values that a decision takes from outside: the domain has no clock and no hash function. */
export interface DecisionContext {
  readonly now: Date;
  /** Derives the id of the credit that a payment leaves. The same key always gives the same id. */
  readonly creditIdOf: (paymentKey: string) => string;
}

export function computeInvoiceTotals({ items, discount, tax }: InvoiceState): Totals {
  return computeTotals(items, discount, tax?.rate ?? basisPoints(0));
}

/** The money and credit that pay this invoice. */
export function sumApplied({ payments }: Pick<InvoiceState, "payments">): Cents {
  return sumCents(payments.map(({ applied }) => applied));
}

export function hasPayment({ payments }: Pick<InvoiceState, "payments">, key: string): boolean {
  return payments.some((payment) => payment.key === key);
}

/** The key of a use of credit begins with this word; the key of a transaction is its id. */
export function isCredit({ key }: InvoicePayment): boolean {
  return key.startsWith("credit:");
}

/** Derives the other fields. Every decision that changes the state must end here. */
export function deriveInvoice(state: InvoiceState): Invoice {
  const { id, status, duedate, issuedfor } = state;
  const balance = cents(computeInvoiceTotals(state).total - sumApplied(state) - state.paidOutside);
  return {
    ...state,
    balance,
    owed: isOpen(status) && balance > 0 ? balance : null,
    dueat: awaitsDueDate(status) && balance > 0 && !isDueDateApplied(state) ? duedate : null,
    overdueFailure: null,
    bucket: bucketOf(id),
    issuekey: issuedfor && formatIssueKey(issuedfor),
  };
}

type DueDates = Pick<InvoiceState, "duedate" | "appliedDueDates">;

function isDueDateApplied({ duedate, appliedDueDates }: DueDates): boolean {
  return appliedDueDates.some((date) => date.getTime() === duedate.getTime());
}

/**
 * The field `excused` of events and answers: the invoice was overdue, and a PATCH has set another
 * status. It does not turn overdue again unless its due date changes.
 */
export function excusedField(invoice: DueDates & Pick<InvoiceState, "status">): { excused?: true } {
  return awaitsDueDate(invoice.status) && isDueDateApplied(invoice) ? { excused: true } : {};
}

export function formatIssueKey({ subscriptionid, why, of }: IssueKey): string {
  return `${subscriptionid.toLowerCase()}:${why}:${of}`;
}
