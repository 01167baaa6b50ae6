import type { EventOf, InvoiceStatus, IssueKey } from "@malipo/contracts";
import type { InvoiceNews, OpenInvoice } from "./open-invoices.ts";

const states: Readonly<Record<InvoiceStatus, OpenInvoice["state"]>> = {
  draft: "draft",
  unpaid: "open",
  partially_paid: "open",
  overdue: "overdue",
  paid: "closed",
  cancelled: "closed",
};

interface Told {
  readonly _id: string;
  readonly seq: number;
  readonly status: InvoiceStatus;
  readonly duedate: string;
  readonly excused?: boolean | undefined;
  readonly key: IssueKey;
  readonly at: Date;
}

/** What one word about an invoice means for its subscription. */
export function newsOf({ _id, seq, status, duedate, excused, key, at }: Told): InvoiceNews {
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

/** Null of an invoice that no subscription asked for. */
export function newsIn(event: EventOf<"invoice.*">): InvoiceNews | null {
  const { inside, data, seq } = event;
  const key = inside.issuedfor;
  return key && newsOf({ ...data, excused: inside.excused, key, seq, at: new Date(event.at) });
}
