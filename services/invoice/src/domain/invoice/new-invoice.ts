import type { IssuedFor } from "@malipo/contracts";
import {
  type Cents,
  cents,
  err,
  type Fault,
  fault,
  maxCents,
  ok,
  type Result,
  titleFromItems,
} from "@malipo/core";
import {
  deriveInvoice,
  type InvoiceChange,
  type InvoiceCustomer,
  type InvoiceItem,
  type InvoiceTax,
} from "./invoice.ts";
import { invoiceCreatedEvent, invoiceEvent } from "./invoice-events.ts";
import { computeLineTotal, type Discount, type Line } from "./totals.ts";

/** A requested invoice. The records that the request named have been read. */
export interface InvoiceDraft {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly remark?: string | undefined;
  readonly customer: InvoiceCustomer;
  readonly items: readonly InvoiceItem[];
  readonly discount: Discount;
  readonly tax: InvoiceTax | null;
  readonly invoicedate?: Date | undefined;
  readonly duedate: Date;
  readonly issuedfor: IssuedFor | null;
}

/** The id, number and codes under which an invoice is found. */
export interface InvoiceKeys {
  readonly id: string;
  readonly invoiceno: string;
  readonly code: string;
  readonly linkcode: string;
}

/** Checks all items together: their sum must be an amount, and the discount must fit in it. */
export function checkAmounts(lines: readonly Line[], discount: Discount): Result<Cents, Fault> {
  let subtotal = cents(0);
  for (const line of lines) {
    // The product can exceed a safe integer; it is compared before it becomes an amount.
    if (line.rate * line.quantity > maxCents) return tooLarge;
    const sum = subtotal + computeLineTotal(line);
    if (sum > maxCents) return tooLarge;
    subtotal = cents(sum);
  }
  const problem = checkDiscount(subtotal, discount);
  return problem === null ? ok(subtotal) : err(problem);
}

const tooLarge = err(invalid("items", "come to too large an amount"));

export function checkDiscount(subtotal: Cents, { type, hundredths }: Discount): Fault | null {
  if (type === "percentage" && hundredths > 10_000) {
    return invalid("discount", "must be at most 100 percent");
  }
  if (type === "fixed" && hundredths > subtotal) {
    return invalid("discount", "must not be more than the subtotal");
  }
  return null;
}

function invalid(path: string, problem: string): Fault {
  return fault("invalid_request", { text: `${path} ${problem}`, fields: [{ path, problem }] });
}

/** Creates an unpaid invoice. An invoice with a zero balance is paid in the same write. */
export function newInvoice(
  businessid: string,
  { id, invoiceno, code, linkcode }: InvoiceKeys,
  draft: InvoiceDraft,
  now: Date,
): InvoiceChange {
  const created = deriveInvoice({
    id,
    businessid,
    invoiceno,
    title: draft.title ?? titleFromItems(draft.items.map(({ name }) => name)),
    description: draft.description || null,
    remark: draft.remark || null,
    status: "unpaid",
    customer: draft.customer,
    items: draft.items,
    discount: draft.discount,
    tax: draft.tax,
    payments: [],
    paidOutside: cents(0),
    reservations: [],
    appliedDueDates: [],
    invoicedate: draft.invoicedate ?? now,
    duedate: draft.duedate,
    code,
    paylink: { id, code: linkcode },
    issuedfor: draft.issuedfor,
    createdat: now,
    updatedat: now,
  });
  if (created.balance > 0) return { entity: created, events: [invoiceCreatedEvent(created)] };
  const entity = deriveInvoice({ ...created, status: "paid" });
  return { entity, events: [invoiceCreatedEvent(entity), invoiceEvent("invoice.paid", entity)] };
}
