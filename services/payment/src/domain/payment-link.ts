import type { PaymentLinkView } from "@malipo/contracts";
import { type Cents, cents, centsToShillings, type LinkOwner } from "@malipo/core";
import { promptAmountFor } from "./prompt/amounts.ts";

/** An address where a payer pays. The link of an invoice is a copy that follows the invoice's events. */
export interface PaymentLink {
  readonly id: string;
  readonly businessid: string;
  readonly owner: LinkOwner;
  readonly code: string;
  readonly title: string;
  readonly description: string | null;
  /** A fixed amount, or what the invoice's newest event says is owed; null for any amount. */
  readonly amount: Cents | null;
  readonly reusable: boolean;
  readonly expiresat: Date | null;
  readonly referenceid: string | null;
  readonly invoiceid: string | null;
  readonly subscriptionid: string | null;
  readonly status: "active" | "paid" | "cancelled";
  /** The sequence number of the newest invoice event in this copy. Older events change nothing. */
  readonly heardseq: number;
  readonly createdat: Date;
  readonly updatedat: Date;
}

export function linkStatusAt(link: PaymentLink, now: Date): PaymentLinkView["status"] {
  const isExpired = link.expiresat !== null && link.expiresat <= now;
  return link.status === "active" && isExpired ? "expired" : link.status;
}

/** The content of an event about an invoice and its link. */
export interface InvoiceUpdate {
  readonly businessid: string;
  readonly linkid: string;
  readonly code: string;
  readonly invoiceid: string;
  readonly subscriptionid: string | null;
  readonly title: string;
  readonly owed: Cents;
  readonly status: PaymentLink["status"];
  readonly seq: number;
  readonly createdat: Date;
  readonly updatedat: Date;
}

export function linkOfInvoice(update: InvoiceUpdate): PaymentLink {
  return {
    id: update.linkid,
    businessid: update.businessid,
    owner: "invoice",
    code: update.code,
    title: update.title,
    description: null,
    amount: update.owed > 0 ? promptAmountFor(update.owed) : cents(0),
    reusable: false,
    expiresat: null,
    referenceid: null,
    invoiceid: update.invoiceid,
    subscriptionid: update.subscriptionid,
    status: update.status,
    heardseq: update.seq,
    createdat: update.createdat,
    updatedat: update.updatedat,
  };
}

export function viewLink(link: PaymentLink, publicUrl: string, now: Date): PaymentLinkView {
  const { id, amount, code } = link;
  return {
    _id: id,
    title: link.title,
    description: link.description,
    amount: amount === null ? null : centsToShillings(amount),
    reusable: link.reusable,
    status: linkStatusAt(link, now),
    expiresat: link.expiresat?.toISOString() ?? null,
    referenceid: link.referenceid,
    invoiceid: link.invoiceid,
    subscriptionid: link.subscriptionid,
    shorturl: `${publicUrl}/p/${code}`,
    qrcode: `${publicUrl}/qr/${code}.png`,
    createdat: link.createdat.toISOString(),
    updatedat: link.updatedat.toISOString(),
  };
}
