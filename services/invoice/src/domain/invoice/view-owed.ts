import type { AmountOwed, Payable } from "@malipo/contracts";
import { cents, centsToShillings, parseId, sumCents } from "@malipo/core";
import { excuseOf, type Invoice, reservedOn } from "./invoice.ts";
import { owedMax } from "./owed.ts";
import { isFull } from "./pay-invoice.ts";
import { isOpen } from "./status.ts";
import { linkStatusOf } from "./view-invoice.ts";

/** More than may be on their way to one invoice at once. */
const countedMax = 100;

/** What others know better: the customer's present phone, the business's present setting. */
interface Present {
  readonly phone: string | null;
  readonly partpayment: boolean;
}

export function viewPayable(invoice: Invoice, { phone, partpayment }: Present, now: Date): Payable {
  const { id, invoiceno, title, businessid, customer, paylink, status } = invoice;
  const reason = whyNotPayable(invoice);
  return {
    invoiceid: id,
    invoiceno,
    title,
    businessid,
    customer: { _id: customer.id, name: customer.name, phone },
    link: { _id: paylink.id, code: paylink.code, status: linkStatusOf(status) },
    status,
    owed: centsToShillings(invoice.owed ?? cents(0)),
    reserved: centsToShillings(reservedOn(invoice, now)),
    counted: transactionsOn(invoice),
    partpayment,
    payable: reason === null,
    reason,
    subscriptionid: invoice.issuedfor?.subscriptionid ?? null,
    duedate: invoice.duedate.toISOString(),
  };
}

function transactionsOn({ payments }: Invoice): string[] {
  return payments
    .map(({ key }) => key)
    .filter((key) => parseId(key) !== null)
    .slice(-countedMax);
}

function whyNotPayable(invoice: Invoice): string | null {
  if (!isOpen(invoice.status)) return `Invoice is ${invoice.status}`;
  if (invoice.owed === null) return "Nothing is owed";
  return isFull(invoice) ? "Invoice takes no further payments" : null;
}

export function viewOwed(found: readonly Invoice[], now: Date): AmountOwed {
  const invoices = found.slice(0, owedMax);
  return {
    owed: centsToShillings(sumCents(invoices.map(({ owed }) => owed ?? cents(0)))),
    overdue: invoices.some(({ status }) => status === "overdue"),
    beingpaid: invoices.some((invoice) => reservedOn(invoice, now) > 0),
    invoices: invoices.map((invoice) => ({
      invoiceid: invoice.id,
      invoiceno: invoice.invoiceno,
      title: invoice.title,
      status: invoice.status,
      owed: centsToShillings(invoice.owed ?? cents(0)),
      reserved: centsToShillings(reservedOn(invoice, now)),
      duedate: invoice.duedate.toISOString(),
      createdat: invoice.createdat.toISOString(),
      issuedfor: invoice.issuedfor,
      ...excuseOf(invoice),
      link: { _id: invoice.paylink.id, code: invoice.paylink.code },
    })),
    more: found.length > owedMax,
  };
}
