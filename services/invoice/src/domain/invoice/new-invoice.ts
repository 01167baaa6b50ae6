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
  type InvoiceChange,
  type InvoiceCustomer,
  type InvoiceItem,
  type InvoiceTax,
  reckon,
} from "./invoice.ts";
import { invoiceCreated, invoiceEvent } from "./invoice-events.ts";
import { type Discount, type Line, lineTotal } from "./totals.ts";

/** What was asked for, with all it names looked up. */
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

/** What has to be drawn from outside. */
export interface InvoiceMarks {
  readonly id: string;
  readonly invoiceno: string;
  readonly code: string;
  readonly linkcode: string;
}

/** What no item can say alone: that together they are still an amount, and the discount within it. */
export function checkAmounts(lines: readonly Line[], discount: Discount): Result<Cents, Fault> {
  let subtotal = cents(0);
  for (const line of lines) {
    // A product beyond what a number holds exactly is far beyond what is taken.
    if (line.rate * line.quantity > maxCents) return tooLarge;
    const sum = subtotal + lineTotal(line);
    if (sum > maxCents) return tooLarge;
    subtotal = cents(sum);
  }
  const problem = discountProblem(subtotal, discount);
  return problem === null ? ok(subtotal) : err(problem);
}

const tooLarge = err(invalid("items", "come to too large an amount"));

export function discountProblem(subtotal: Cents, { type, hundredths }: Discount): Fault | null {
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

export function newInvoice(
  businessid: string,
  { id, invoiceno, code, linkcode }: InvoiceMarks,
  draft: InvoiceDraft,
  now: Date,
): InvoiceChange {
  const created = reckon({
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
    settled: cents(0),
    reservations: [],
    judged: [],
    invoicedate: draft.invoicedate ?? now,
    duedate: draft.duedate,
    code,
    paylink: { id, code: linkcode },
    issuedfor: draft.issuedfor,
    createdat: now,
    updatedat: now,
  });
  if (created.balance > 0) return { entity: created, events: [invoiceCreated(created)] };
  const entity = reckon({ ...created, status: "paid" });
  return { entity, events: [invoiceCreated(entity), invoiceEvent("invoice.paid", entity)] };
}
