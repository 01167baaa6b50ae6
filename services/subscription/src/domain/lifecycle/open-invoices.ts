import type { IssueKey } from "@malipo/contracts";

/** Why an invoice was issued: for a period, as an offer of the next one, or by hand. */
export type Why = IssueKey["why"];

/** What a subscription knows of one of its invoices, from billing it and from the invoice's events. */
export interface OpenInvoice {
  /** Within the subscription, the key under which it is issued once. */
  readonly why: Why;
  readonly of: string;
  /** Null until its first event has been heard. */
  readonly invoiceid: string | null;
  /** Of the newest event that was heard: an older one changes nothing. */
  readonly seq: number;
  /** An excused one is open, and not overdue whatever its date. */
  readonly state: "draft" | "open" | "excused" | "overdue" | "closed";
  /** From when on it counts as overdue. */
  readonly duedate: Date;
  readonly prompting: Prompting;
}

/** Where the customer stands with being asked to pay on the phone. */
export interface Prompting {
  /** How many prompts were claimed. */
  readonly attempt: number;
  /** When the next one is due; null when none is. */
  readonly nextat: Date | null;
  /** Since when the newest one has been claimed without its outcome being known. */
  readonly claimed: Date | null;
  /** The payment that came of it, once it is known. */
  readonly transactionid: string | null;
  /** What came of the newest one, or why there is none. */
  readonly reason: string | null;
}

export const notPrompted: Prompting = {
  attempt: 0,
  nextat: null,
  claimed: null,
  transactionid: null,
  reason: null,
};

/** What the invoice service says of an invoice, when it is asked or by its events. */
export interface InvoiceNews {
  readonly why: Why;
  readonly of: string;
  readonly invoiceid: string;
  readonly seq: number;
  readonly state: OpenInvoice["state"];
  readonly duedate: Date;
  /** When it was said. */
  readonly at: Date;
}

const closedMax = 20;

export function keyOf({ why, of }: Pick<OpenInvoice, "why" | "of">): string {
  return `${why}:${of}`;
}

export function isOpen({ state }: OpenInvoice): boolean {
  return state !== "closed";
}

/** The one whose prompt has no outcome yet: until then no other is asked for. */
export function promptedOf(invoices: readonly OpenInvoice[]): OpenInvoice | undefined {
  return invoices.find(({ prompting }) => prompting.claimed !== null);
}

export function isOverdue(invoice: OpenInvoice, now: Date): boolean {
  return invoice.state === "overdue" || (invoice.state === "open" && invoice.duedate <= now);
}

/** Whether an invoice stands in the way of being active: an offer until it is settled, a debt from its due date. */
export function holdsUp(invoice: OpenInvoice, now: Date): boolean {
  return isOpen(invoice) && (invoice.why === "renewal" || isOverdue(invoice, now));
}

/** Says which of the invoice service's invoices this one is. */
export function identify(
  invoices: readonly OpenInvoice[],
  known: OpenInvoice,
  invoiceid: string,
): readonly OpenInvoice[] {
  return invoices.map((invoice) =>
    keyOf(invoice) === keyOf(known) ? { ...invoice, invoiceid } : invoice,
  );
}

/** Puts news in; the closed ones that are kept are bounded. */
export function hear(
  invoices: readonly OpenInvoice[],
  news: readonly InvoiceNews[],
): readonly OpenInvoice[] {
  let heard = invoices;
  for (const one of news) {
    const known = heard.find((invoice) => keyOf(invoice) === keyOf(one));
    if (known && known.seq >= one.seq) continue;
    const updated = updatedBy(known, one);
    heard = known
      ? heard.map((invoice) => (invoice === known ? updated : invoice))
      : [...heard, updated];
  }
  return withoutOldest(heard);
}

/** Takes a whole answer for the truth: what was issued and is not in it, asks for nothing any more. */
export function agreeWith(
  invoices: readonly OpenInvoice[],
  owed: readonly InvoiceNews[],
): readonly OpenInvoice[] {
  const present = new Map(owed.map((one) => [keyOf(one), one]));
  const agreed = invoices.map((invoice) => {
    const one = present.get(keyOf(invoice));
    present.delete(keyOf(invoice));
    if (one) return { ...updatedBy(invoice, one), seq: invoice.seq };
    const isOver = invoice.invoiceid !== null && invoice.state !== "draft" && isOpen(invoice);
    return isOver ? close(invoice) : invoice;
  });
  return hear(agreed, [...present.values()]);
}

function updatedBy(known: OpenInvoice | undefined, news: InvoiceNews): OpenInvoice {
  const { at: _at, ...one } = news;
  const prompting = known?.prompting ?? notPrompted;
  const invoice = { ...one, duedate: heldAgainstFrom(known, news), prompting };
  return isOpen(invoice) ? invoice : close(invoice);
}

/**
 * Its due date; but somebody may call it overdue before that, or move the date into the past, or
 * reopen what was paid: nobody has waited for it before that was said.
 */
function heldAgainstFrom(
  known: OpenInvoice | undefined,
  { state, duedate, at }: InvoiceNews,
): Date {
  const isDue = state === "overdue" || (state === "open" && duedate <= at);
  if (!isDue) return duedate;
  const wasDue = known?.state === "overdue" || (known?.state === "open" && known.duedate <= at);
  if (!wasDue) return at;
  return duedate <= at && duedate > known.duedate ? duedate : known.duedate;
}

export function close(invoice: OpenInvoice): OpenInvoice {
  return {
    ...invoice,
    state: "closed",
    prompting: { ...invoice.prompting, claimed: null, nextat: null },
  };
}

function withoutOldest(invoices: readonly OpenInvoice[]): readonly OpenInvoice[] {
  const surplus = invoices.filter((invoice) => !isOpen(invoice)).length - closedMax;
  if (surplus <= 0) return invoices;
  const gone = new Set(invoices.filter((invoice) => !isOpen(invoice)).slice(0, surplus));
  return invoices.filter((invoice) => !gone.has(invoice));
}
