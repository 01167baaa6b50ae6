import type { AmountOwed, Payable } from "@malipo/contracts";
import { cents, centsToShillings, parseId, sumCents } from "@malipo/core";
import { excusedField, type Invoice } from "./invoice.ts";
import { isFull, sumReserved } from "./pay-invoice.ts";
import { isOpen } from "./status.ts";
import { linkStatusOf } from "./view-invoice.ts";

/** The limit of invoices in one answer. */
export const owedMax = 100;
/** More transactions than can be on their way to one invoice at once. */
const countedMax = 100;

/** Present facts that the invoice's own copy may not have. */
interface PresentFacts {
  /** The customer's phone. */
  readonly phone: string | null;
  /** The business's setting. */
  readonly partpayment: boolean;
}

export function viewPayable(
  invoice: Invoice,
  { phone, partpayment }: PresentFacts,
  now: Date,
): Payable {
  const { id, invoiceno, title, businessid, customer, paylink, status } = invoice;
  const reason = explainNotPayable(invoice);
  return {
    invoiceid: id,
    invoiceno,
    title,
    businessid,
    customer: { _id: customer.id, name: customer.name, phone },
    link: { _id: paylink.id, code: paylink.code, status: linkStatusOf(status) },
    status,
    owed: centsToShillings(invoice.owed ?? cents(0)),
    reserved: centsToShillings(sumReserved(invoice, now)),
    counted: listTransactions(invoice),
    partpayment,
    payable: reason === null,
    reason,
    subscriptionid: invoice.issuedfor?.subscriptionid ?? null,
    duedate: invoice.duedate.toISOString(),
  };
}

/** The keys of payments by transaction are ids; those of credit are not. */
function listTransactions({ payments }: Invoice): string[] {
  return payments
    .map(({ key }) => key)
    .filter((key) => parseId(key) !== null)
    .slice(-countedMax);
}

export function isPayable(invoice: Invoice): boolean {
  return explainNotPayable(invoice) === null;
}

function explainNotPayable(invoice: Invoice): string | null {
  if (!isOpen(invoice.status)) return `Invoice is ${invoice.status}`;
  if (invoice.owed === null) return "Nothing is owed";
  return isFull(invoice) ? "Invoice takes no further payments" : null;
}

/** `found` is oldest first, and one longer than the limit if there are more. */
export function viewOwed(found: readonly Invoice[], now: Date): AmountOwed {
  const invoices = found.slice(0, owedMax).filter(({ owed }) => owed !== null);
  return {
    owed: centsToShillings(sumCents(invoices.map(({ owed }) => owed ?? cents(0)))),
    overdue: invoices.some(({ status }) => status === "overdue"),
    beingpaid: invoices.some((invoice) => sumReserved(invoice, now) > 0),
    invoices: invoices.map((invoice) => ({
      invoiceid: invoice.id,
      invoiceno: invoice.invoiceno,
      title: invoice.title,
      status: invoice.status,
      owed: centsToShillings(invoice.owed ?? cents(0)),
      reserved: centsToShillings(sumReserved(invoice, now)),
      duedate: invoice.duedate.toISOString(),
      createdat: invoice.createdat.toISOString(),
      issuedfor: invoice.issuedfor,
      ...excusedField(invoice),
      link: { _id: invoice.paylink.id, code: invoice.paylink.code },
    })),
    more: found.length > owedMax,
  };
}
