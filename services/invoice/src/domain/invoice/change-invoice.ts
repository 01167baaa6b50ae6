import type { InvoiceStatus } from "@malipo/contracts";
import {
  basisPoints,
  cents,
  centsToShillings,
  err,
  type Fault,
  fault,
  ok,
  type Result,
} from "@malipo/core";
import {
  computeInvoiceTotals,
  type DecisionContext,
  deriveInvoice,
  type Invoice,
  type InvoiceChange,
  type InvoiceState,
  sumApplied,
} from "./invoice.ts";
import { creditGrantedEvents, type Grant, invoiceEvent, statusEvents } from "./invoice-events.ts";
import { checkDiscount } from "./new-invoice.ts";
import { isOpen, nextStatus } from "./status.ts";
import { computeTotals, type Discount } from "./totals.ts";

const appliedDueDatesMax = 20;

/** The changes of a PATCH. An absent field stays as it is. */
export interface InvoicePatch {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly status?: InvoiceStatus | undefined;
  readonly duedate?: Date | undefined;
  readonly discount?: number | undefined;
  readonly discounttype?: Discount["type"] | undefined;
}

/** Applies a PATCH, which may set any of the six statuses from any other. */
export function changeInvoice(
  invoice: Invoice,
  patch: InvoicePatch,
  context: DecisionContext,
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
    updatedat: context.now,
  };
  const entity = patch.status
    ? withStatus(described, patch.status)
    : paidIfNothingIsOwed(invoice, deriveInvoice(described));
  return ok({
    entity,
    events: [
      invoiceEvent("invoice.updated", entity),
      // A due date that reopens an overdue invoice is not a payment, so it sends only invoice.updated.
      ...(patch.status || entity.status === "paid" ? statusEvents(invoice, entity) : []),
      ...creditGrantedEvents(entity, withdrawnGrants(invoice, entity, context)),
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
  const { subtotal } = computeInvoiceTotals(invoice);
  const problem = checkDiscount(subtotal, changed);
  if (problem) return err(problem);
  const { total } = computeTotals(items, changed, tax?.rate ?? basisPoints(0));
  const applied = sumApplied(invoice);
  if (total < applied) {
    const paid = centsToShillings(applied);
    return conflict(`Invoice is ${status} with ${paid} paid; the discount leaves less than that`);
  }
  return ok({ ...invoice, discount: changed });
}

/** A later due date reopens an overdue invoice. */
function withDueDate(invoice: InvoiceState, duedate: Date | undefined): InvoiceState {
  if (duedate === undefined) return invoice;
  const isReopened = invoice.status === "overdue" && duedate > invoice.duedate;
  if (!isReopened) return { ...invoice, duedate };
  return { ...invoice, duedate, status: sumApplied(invoice) > 0 ? "partially_paid" : "unpaid" };
}

/** Only a paid invoice has a part that was paid outside. Money on a cancelled invoice becomes credit. */
function withStatus(invoice: InvoiceState, status: InvoiceStatus): Invoice {
  const changed = { ...invoice, status, paidOutside: cents(0) };
  switch (status) {
    case "paid": {
      const rest = computeInvoiceTotals(invoice).total - sumApplied(invoice);
      return deriveInvoice({ ...changed, paidOutside: cents(rest) });
    }
    case "cancelled":
      return deriveInvoice({ ...changed, payments: withdrawPayments(invoice) });
    case "overdue":
      return deriveInvoice({ ...changed, appliedDueDates: addDueDate(invoice) });
    case "draft":
    case "unpaid":
    case "partially_paid":
      return deriveInvoice(changed);
    default:
      return status satisfies never;
  }
}

/**
 * A change that leaves no balance turns the invoice paid. A status that a PATCH set on an invoice
 * without a balance stands until the status or the balance changes.
 */
function paidIfNothingIsOwed(before: Invoice, after: Invoice): Invoice {
  if (!isOpen(after.status) || after.balance > 0) return after;
  if (after.balance === before.balance && after.status === before.status) return after;
  return deriveInvoice({ ...after, status: "paid" });
}

/**
 * Cancels for a subscription. A conflict if the invoice is paid or being paid. A change of null means
 * that it is already cancelled.
 */
export function cancelUnpaidInvoice(
  invoice: Invoice,
  context: DecisionContext,
): Result<InvoiceChange | null, Fault> {
  const { now } = context;
  if (invoice.status === "cancelled") return ok(null);
  if (nextStatus(invoice.status, "cancel") === undefined) {
    return conflict(`Invoice is ${invoice.status}`);
  }
  if (invoice.reservations.some(({ until }) => until > now)) {
    return conflict("Invoice is being paid");
  }
  const entity = withStatus({ ...invoice, updatedat: now }, "cancelled");
  return ok({
    entity,
    events: [
      invoiceEvent("invoice.updated", entity),
      ...creditGrantedEvents(entity, withdrawnGrants(invoice, entity, context)),
    ],
  });
}

/** Turns an invoice overdue. Null if its due date is not reached, or does not apply any more. */
export function applyDueDate(invoice: Invoice, now: Date): InvoiceChange | null {
  const status = nextStatus(invoice.status, "due date");
  if (status === undefined || invoice.dueat === null || invoice.dueat > now) return null;
  const appliedDueDates = addDueDate(invoice);
  const entity = deriveInvoice({ ...invoice, status, appliedDueDates, updatedat: now });
  return { entity, events: [invoiceEvent("invoice.overdue", entity)] };
}

function addDueDate({ appliedDueDates, duedate }: InvoiceState): readonly Date[] {
  const others = appliedDueDates.filter((date) => date.getTime() !== duedate.getTime());
  return [...others, duedate].slice(-appliedDueDatesMax);
}

function withdrawPayments({ payments }: InvoiceState): InvoiceState["payments"] {
  return payments.map((payment) => ({ ...payment, applied: cents(0) }));
}

/** The credit of payments that a change has withdrawn from the invoice. */
function withdrawnGrants(
  before: Invoice,
  after: Invoice,
  { creditIdOf }: DecisionContext,
): readonly Grant[] {
  return after.payments.flatMap(({ key, amount, applied }, index) =>
    applied < (before.payments[index]?.applied ?? 0)
      ? [{ creditid: creditIdOf(key), granted: cents(amount - applied) }]
      : [],
  );
}

function conflict(text: string) {
  return err(fault("conflict", { text }));
}
