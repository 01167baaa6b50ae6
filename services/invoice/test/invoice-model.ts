import type { InvoiceStatus } from "@malipo/contracts";

/** A second, simple implementation of the rules of an invoice, to compare the service with. */
export interface ModelInvoice {
  readonly subtotal: number;
  discount: number;
  status: InvoiceStatus;
  duedate: number;
  paidOutside: number;
  /** The applied part of each payment, in the order of arrival. */
  applied: number[];
  /** The due dates that have turned it overdue. */
  readonly appliedDueDates: Set<number>;
  /** The public events it must have sent. */
  readonly events: string[];
}

export interface ModelPatch {
  readonly status?: InvoiceStatus | undefined;
  readonly discount?: number | undefined;
  readonly duedate?: number | undefined;
}

export function modelInvoice(subtotal: number, duedate: number): ModelInvoice {
  const invoice: ModelInvoice = {
    subtotal,
    discount: 0,
    status: "unpaid",
    duedate,
    paidOutside: 0,
    applied: [],
    appliedDueDates: new Set(),
    events: ["invoice.created"],
  };
  if (subtotal === 0) moveTo(invoice, "paid");
  return invoice;
}

export function balanceOf({ subtotal, discount, applied, paidOutside }: ModelInvoice): number {
  return subtotal - discount - sum(applied) - paidOutside;
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

export function asksForMoney({ status }: ModelInvoice): boolean {
  return status === "unpaid" || status === "partially_paid" || status === "overdue";
}

function moveTo(invoice: ModelInvoice, status: InvoiceStatus): void {
  if (invoice.status === status) return;
  invoice.status = status;
  if (status === "paid" || status === "partially_paid" || status === "overdue") {
    invoice.events.push(`invoice.${status}`);
  }
}

/** False if the PATCH is refused; then nothing changes. */
export function patch(invoice: ModelInvoice, { status, discount, duedate }: ModelPatch): boolean {
  if (status === undefined && discount === undefined && duedate === undefined) return true;
  const before = { status: invoice.status, balance: balanceOf(invoice) };
  if (discount !== undefined) {
    if (invoice.status === "paid" || invoice.status === "cancelled") return false;
    if (discount > invoice.subtotal) return false;
    if (invoice.subtotal - discount < sum(invoice.applied)) return false;
    invoice.discount = discount;
  }
  invoice.events.push("invoice.updated");
  if (duedate !== undefined) {
    // Sends no event, because no payment was made. A status in the same PATCH replaces this one.
    if (status === undefined && invoice.status === "overdue" && duedate > invoice.duedate) {
      invoice.status = sum(invoice.applied) > 0 ? "partially_paid" : "unpaid";
    }
    invoice.duedate = duedate;
  }
  if (status === undefined) {
    const isSame = before.status === invoice.status && before.balance === balanceOf(invoice);
    if (asksForMoney(invoice) && balanceOf(invoice) === 0 && !isSame) moveTo(invoice, "paid");
    return true;
  }
  invoice.paidOutside = 0;
  if (status === "cancelled") invoice.applied = invoice.applied.map(() => 0);
  if (status === "paid") invoice.paidOutside = balanceOf(invoice);
  if (status === "overdue") invoice.appliedDueDates.add(invoice.duedate);
  moveTo(invoice, status);
  return true;
}

/** Cancels for a subscription. False if that is refused. */
export function cancel(invoice: ModelInvoice): boolean {
  if (invoice.status === "paid") return false;
  return invoice.status === "cancelled" || patch(invoice, { status: "cancelled" });
}

export function applyModelDueDate(invoice: ModelInvoice, now: number): void {
  const awaits = invoice.status === "unpaid" || invoice.status === "partially_paid";
  if (!awaits || balanceOf(invoice) === 0 || invoice.appliedDueDates.has(invoice.duedate)) return;
  if (invoice.duedate > now) return;
  invoice.appliedDueDates.add(invoice.duedate);
  moveTo(invoice, "overdue");
}

/** Pays the balance first. The rest becomes credit. */
export function receive(invoice: ModelInvoice, amount: number): void {
  const room = invoice.status === "cancelled" ? 0 : balanceOf(invoice);
  const applied = Math.min(room, amount);
  invoice.applied.push(applied);
  if (invoice.status === "cancelled") return;
  if (balanceOf(invoice) === 0) return moveTo(invoice, "paid");
  if (applied === 0) return;
  if (invoice.status !== "overdue") invoice.status = "partially_paid";
  invoice.events.push("invoice.partially_paid");
}
