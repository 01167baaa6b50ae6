import type { EventOf, InvoiceStatus, IssueKey } from "@malipo/contracts";
import { awaitsFirstPrompt, scheduleFirstPrompts } from "../dunning/prompt-schedule.ts";
import { type BillingContext, type Change, reactivate, unchanged } from "./change.ts";
import {
  blocksReactivation,
  closeInvoice,
  isOpen,
  keyOf,
  notPrompted,
  type OpenInvoice,
  type Why,
} from "./open-invoices.ts";
import type { Subscription } from "./subscription.ts";

/** The state of an invoice as the invoice service reports it, in an answer or in an event. */
export interface InvoiceUpdate {
  readonly why: Why;
  readonly of: string;
  readonly invoiceid: string;
  readonly seq: number;
  readonly state: OpenInvoice["state"];
  readonly duedate: Date;
  /** When it was reported. */
  readonly at: Date;
}

interface ReportedInvoice {
  readonly _id: string;
  readonly seq: number;
  readonly status: InvoiceStatus;
  readonly duedate: string;
  readonly excused?: boolean | undefined;
  readonly key: IssueKey;
  readonly at: Date;
}

const states: Readonly<Record<InvoiceStatus, OpenInvoice["state"]>> = {
  draft: "draft",
  unpaid: "open",
  partially_paid: "open",
  overdue: "overdue",
  paid: "closed",
  cancelled: "closed",
};

const closedMax = 20;

export function toInvoiceUpdate(invoice: ReportedInvoice): InvoiceUpdate {
  const { _id, seq, status, duedate, excused, key, at } = invoice;
  return {
    why: key.why,
    of: key.of,
    invoiceid: _id,
    seq,
    state: excused ? "excused" : states[status],
    duedate: new Date(duedate),
    at,
  };
}

/** Null for an invoice that does not belong to a subscription. */
export function updateFromEvent({
  inside,
  data,
  seq,
  at,
}: EventOf<"invoice.*">): InvoiceUpdate | null {
  const key = inside.issuedfor;
  return key && toInvoiceUpdate({ ...data, excused: inside.excused, key, seq, at: new Date(at) });
}

/**
 * Applies updates to a subscription. A pending subscription becomes active when its last debt or
 * renewal offer is closed. Null if the updates change nothing.
 */
export function applyInvoiceUpdates(
  subscription: Subscription,
  updates: readonly InvoiceUpdate[],
  at: Date,
  { now, hours }: Pick<BillingContext, "now" | "hours">,
): Change | null {
  // During an expiry the record must still list the invoices that it has to cancel. An invoice that
  // is paid in that time refuses its cancellation.
  if (subscription.expiringSince) return null;
  const invoices = mergeUpdates(
    subscription.invoices,
    updates.filter((update) => isRelevant(subscription, update)),
  );
  if (invoices === subscription.invoices) return null;
  const updated = scheduleFirstPrompts({ ...subscription, invoices, updatedat: now }, now, hours);
  const { status, pendingsince, enddate } = updated;
  const since = pendingsince && pendingsince > at ? pendingsince : at;
  const asof = since < now ? since : now;
  const isBlocked = invoices.some((invoice) => blocksReactivation(invoice, now));
  const hasEnded = enddate !== null && enddate <= asof;
  return status !== "pending" || isBlocked || hasEnded
    ? unchanged(updated)
    : reactivate(unchanged(updated), asof, now);
}

/** An update that repeats what was billed is worth a write only if the customer is to be prompted. */
function isRelevant({ invoices, autorenew }: Subscription, update: InvoiceUpdate): boolean {
  const known = invoices.find((invoice) => keyOf(invoice) === keyOf(update));
  if (!known || (autorenew && isOpen(known) && awaitsFirstPrompt(known.prompting))) return true;
  return known.state !== update.state || known.duedate.getTime() !== update.duedate.getTime();
}

/** Returns the same array if no update is newer than what is known. */
function mergeUpdates(
  invoices: readonly OpenInvoice[],
  updates: readonly InvoiceUpdate[],
): readonly OpenInvoice[] {
  let merged = invoices;
  for (const update of updates) {
    const known = merged.find((invoice) => keyOf(invoice) === keyOf(update));
    if (known && known.seq >= update.seq) continue;
    const updated = updateInvoice(known, update);
    merged = known
      ? merged.map((invoice) => (invoice === known ? updated : invoice))
      : [...merged, updated];
  }
  return limitClosed(merged);
}

/**
 * Replaces what is known by the invoice service's complete list of open invoices. An issued invoice
 * that is not in the list is closed.
 */
export function replaceOpenInvoices(
  invoices: readonly OpenInvoice[],
  owed: readonly InvoiceUpdate[],
): readonly OpenInvoice[] {
  const listed = new Map(owed.map((update) => [keyOf(update), update]));
  const replaced = invoices.map((invoice) => {
    const update = listed.get(keyOf(invoice));
    listed.delete(keyOf(invoice));
    if (update) return { ...updateInvoice(invoice, update), seq: invoice.seq };
    const isGone = invoice.invoiceid !== null && invoice.state !== "draft" && isOpen(invoice);
    return isGone ? closeInvoice(invoice) : invoice;
  });
  return mergeUpdates(replaced, [...listed.values()]);
}

function updateInvoice(known: OpenInvoice | undefined, update: InvoiceUpdate): OpenInvoice {
  const { at: _at, ...fields } = update;
  const prompting = known?.prompting ?? notPrompted;
  const invoice = { ...fields, duedate: countsOverdueFrom(known, update), prompting };
  return isOpen(invoice) ? invoice : closeInvoice(invoice);
}

/**
 * Normally the due date. If a business sets an invoice overdue before its due date, moves the due
 * date into the past, or reopens a paid invoice after its due date, then the invoice counts as overdue
 * from the time of that report. The subscription has not waited for it before.
 */
function countsOverdueFrom(
  known: OpenInvoice | undefined,
  { state, duedate, at }: InvoiceUpdate,
): Date {
  const isDue = state === "overdue" || (state === "open" && duedate <= at);
  if (!isDue) return duedate;
  const wasDue = known?.state === "overdue" || (known?.state === "open" && known.duedate <= at);
  if (!wasDue) return at;
  return duedate <= at && duedate > known.duedate ? duedate : known.duedate;
}

function limitClosed(invoices: readonly OpenInvoice[]): readonly OpenInvoice[] {
  const closed = invoices.filter((invoice) => !isOpen(invoice));
  const surplus = closed.length - closedMax;
  if (surplus <= 0) return invoices;
  const removed = new Set(closed.slice(0, surplus));
  return invoices.filter((invoice) => !removed.has(invoice));
}
