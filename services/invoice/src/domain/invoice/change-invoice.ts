import type { InvoiceStatus } from "@malipo/contracts";
import {
  basisPoints,
  cents,
  err,
  type Fault,
  fault,
  centsToShillings,
  ok,
  type Result,
} from "@malipo/core";
import { creditIdOf } from "../credit/credit-key.ts";
import {
  appliedOn,
  type Invoice,
  type InvoiceChange,
  type InvoiceState,
  reckon,
  totalsOfInvoice,
} from "./invoice.ts";
import { creditGranted, type Grant, invoiceEvent, statusEvents } from "./invoice-events.ts";
import { discountProblem } from "./new-invoice.ts";
import { isOpen, moved } from "./status.ts";
import { type Discount, totalsOf } from "./totals.ts";

const judgedMax = 20;

/** What is absent stays. */
export interface InvoicePatch {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly status?: InvoiceStatus | undefined;
  readonly duedate?: Date | undefined;
  readonly discount?: number | undefined;
  readonly discounttype?: Discount["type"] | undefined;
}

/** Somebody changes it, in any of the six statuses and to any of them. */
export function changeInvoice(
  invoice: Invoice,
  patch: InvoicePatch,
  now: Date,
): Result<InvoiceChange, Fault> {
  const isEmpty = Object.values(patch).every((given) => given === undefined);
  if (isEmpty) return ok({ entity: invoice, events: [] });
  const discounted = withDiscount(invoice, patch);
  if (!discounted.ok) return discounted;
  const dated = withDueDate(discounted.value, patch.duedate);
  const described = {
    ...dated,
    title: patch.title ?? invoice.title,
    description: patch.description === undefined ? invoice.description : patch.description || null,
    updatedat: now,
  };
  const entity = patch.status
    ? withStatus(described, patch.status)
    : paidWhenNothingIsOwed(invoice, reckon(described));
  return ok({
    entity,
    events: [
      invoiceEvent("invoice.updated", entity),
      // A due date that reopens an invoice is no payment.
      ...(patch.status || entity.status === "paid" ? statusEvents(invoice, entity) : []),
      ...creditGranted(entity, grantsOf(invoice, entity)),
    ],
  });
}

function withDiscount(
  invoice: Invoice,
  { discount, discounttype }: InvoicePatch,
): Result<InvoiceState, Fault> {
  if (discount === undefined && discounttype === undefined) return ok(invoice);
  const { status, items, tax } = invoice;
  if (status === "paid" || status === "cancelled") {
    return conflict(`Invoice is ${status}; its discount cannot be changed`);
  }
  const changed: Discount = {
    type: discounttype ?? invoice.discount.type,
    hundredths: discount ?? invoice.discount.hundredths,
  };
  const { subtotal } = totalsOfInvoice(invoice);
  const problem = discountProblem(subtotal, changed);
  if (problem) return err(problem);
  const { total } = totalsOf(items, changed, tax?.rate ?? basisPoints(0));
  const applied = appliedOn(invoice);
  if (total < applied) {
    const paid = centsToShillings(applied);
    return conflict(`Invoice is ${status} with ${paid} paid; the discount leaves less than that`);
  }
  return ok({ ...invoice, discount: changed });
}

/** A later due date gives an overdue invoice its time again. */
function withDueDate(invoice: InvoiceState, duedate: Date | undefined): InvoiceState {
  if (duedate === undefined) return invoice;
  const isReopened = invoice.status === "overdue" && duedate > invoice.duedate;
  if (!isReopened) return { ...invoice, duedate };
  return { ...invoice, duedate, status: appliedOn(invoice) > 0 ? "partially_paid" : "unpaid" };
}

/** Settled outside is only what is paid; of a cancelled invoice all money becomes credit. */
function withStatus(invoice: InvoiceState, status: InvoiceStatus): Invoice {
  const unsettled = { ...invoice, status, settled: cents(0) };
  switch (status) {
    case "paid": {
      const rest = totalsOfInvoice(invoice).total - appliedOn(invoice);
      return reckon({ ...unsettled, settled: cents(rest) });
    }
    case "cancelled":
      return reckon({ ...unsettled, payments: withdrawn(invoice) });
    case "overdue":
      return reckon({ ...unsettled, judged: judgedToo(invoice) });
    case "draft":
    case "unpaid":
    case "partially_paid":
      return reckon(unsettled);
    default:
      return status satisfies never;
  }
}

/** A status that was set where nothing is owed stands, as long as neither of the two changes. */
function paidWhenNothingIsOwed(before: Invoice, after: Invoice): Invoice {
  if (!isOpen(after.status) || after.balance > 0) return after;
  if (after.balance === before.balance && after.status === before.status) return after;
  return reckon({ ...after, status: "paid" });
}

/** Cancelling on behalf of a subscription: not what is paid or about to be. Null when it is done already. */
export function cancelUnpaid(invoice: Invoice, now: Date): Result<InvoiceChange | null, Fault> {
  if (invoice.status === "cancelled") return ok(null);
  if (moved(invoice.status, "cancel") === undefined)
    return conflict(`Invoice is ${invoice.status}`);
  if (invoice.reservations.some(({ until }) => until > now))
    return conflict("Invoice is being paid");
  const entity = withStatus({ ...invoice, updatedat: now }, "cancelled");
  return ok({
    entity,
    events: [
      invoiceEvent("invoice.updated", entity),
      ...creditGranted(entity, grantsOf(invoice, entity)),
    ],
  });
}

/** Its due date is reached; null when that says nothing, or has been said. */
export function judgeDueDate(invoice: Invoice, now: Date): InvoiceChange | null {
  const status = moved(invoice.status, "due date");
  if (status === undefined || invoice.dueat === null || invoice.dueat > now) return null;
  const entity = reckon({ ...invoice, status, judged: judgedToo(invoice), updatedat: now });
  return { entity, events: [invoiceEvent("invoice.overdue", entity)] };
}

function judgedToo({ judged, duedate }: InvoiceState): readonly Date[] {
  const others = judged.filter((date) => date.getTime() !== duedate.getTime());
  return [...others, duedate].slice(-judgedMax);
}

function withdrawn({ payments }: InvoiceState): InvoiceState["payments"] {
  return payments.map((payment) => ({ ...payment, applied: cents(0) }));
}

/** What stood on the invoice and does not any more. */
function grantsOf(before: Invoice, after: Invoice): readonly Grant[] {
  return after.payments.flatMap(({ key, amount, applied }, index) =>
    applied < (before.payments[index]?.applied ?? 0)
      ? [{ creditid: creditIdOf(key), granted: cents(amount - applied) }]
      : [],
  );
}

function conflict(text: string) {
  return err(fault("conflict", { text }));
}
