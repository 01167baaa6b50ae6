import type { IssueKey } from "@malipo/contracts";

/** Why an invoice is issued: for a period, as an offer of the next period, or by a manual request. */
export type Why = IssueKey["why"];

/** An invoice as its subscription knows it, from billing it and from invoice updates. */
export interface OpenInvoice {
  /** `why` and `of` are the key of the invoice within its subscription. Each key is issued once. */
  readonly why: Why;
  readonly of: string;
  /** Null until the first update of the invoice. */
  readonly invoiceid: string | null;
  /** Sequence number of the newest applied event. Older events change nothing. */
  readonly seq: number;
  /** An excused invoice is open, but not overdue on any date. */
  readonly state: "draft" | "open" | "excused" | "overdue" | "closed";
  /** The date from which the invoice counts as overdue. */
  readonly duedate: Date;
  readonly prompting: Prompting;
}

/** The prompts for one invoice. */
export interface Prompting {
  /** The number of claimed prompts. */
  readonly attempt: number;
  /** When the next prompt is due; null when none is. */
  readonly nextat: Date | null;
  /** When the newest prompt was claimed, while its outcome is unknown. */
  readonly claimed: Date | null;
  /** The transaction of the claimed prompt, once payment has answered. */
  readonly transactionid: string | null;
  /** Why the newest prompt failed, or why there is none. */
  readonly reason: string | null;
}

export const notPrompted: Prompting = {
  attempt: 0,
  nextat: null,
  claimed: null,
  transactionid: null,
  reason: null,
};

export function keyOf({ why, of }: Pick<OpenInvoice, "why" | "of">): string {
  return `${why}:${of}`;
}

export function isOpen({ state }: OpenInvoice): boolean {
  return state !== "closed";
}

/** The invoice whose claimed prompt has no outcome yet. Until then no other invoice is prompted. */
export function findPrompted(invoices: readonly OpenInvoice[]): OpenInvoice | undefined {
  return invoices.find(({ prompting }) => prompting.claimed !== null);
}

export function isOverdue(invoice: OpenInvoice, now: Date): boolean {
  return invoice.state === "overdue" || (invoice.state === "open" && invoice.duedate <= now);
}

/** A pending subscription stays pending because of an open renewal offer or an overdue invoice. */
export function blocksReactivation(invoice: OpenInvoice, now: Date): boolean {
  return isOpen(invoice) && (invoice.why === "renewal" || isOverdue(invoice, now));
}

/** Adds the id that the invoice service gave to an invoice. */
export function identifyInvoice(
  invoices: readonly OpenInvoice[],
  chosen: OpenInvoice,
  invoiceid: string,
): readonly OpenInvoice[] {
  return invoices.map((invoice) =>
    keyOf(invoice) === keyOf(chosen) ? { ...invoice, invoiceid } : invoice,
  );
}

/** A closed invoice is not prompted. */
export function closeInvoice(invoice: OpenInvoice): OpenInvoice {
  return {
    ...invoice,
    state: "closed",
    prompting: { ...invoice.prompting, claimed: null, nextat: null },
  };
}
