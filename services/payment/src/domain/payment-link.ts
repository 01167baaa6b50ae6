import { type PaymentLinkView, promptAmounts } from "@malipo/contracts";
import { type Cents, cents, formatShillings, type LinkOwner } from "@malipo/core";

/** What one prompt may ask for. */
const promptMin = cents(promptAmounts.min * 100);
const promptMax = cents(promptAmounts.max * 100);

/** An address where something is paid. Those of invoices and subscriptions follow their owners. */
export interface PaymentLink {
  readonly id: string;
  readonly businessid: string;
  readonly owner: LinkOwner;
  readonly code: string;
  readonly title: string;
  readonly description: string | null;
  /** Fixed, or what was owed when its owner last said so; null for any amount. */
  readonly amount: Cents | null;
  readonly reusable: boolean;
  readonly expiresat: Date | null;
  readonly referenceid: string | null;
  readonly invoiceid: string | null;
  readonly subscriptionid: string | null;
  readonly status: "active" | "paid" | "cancelled";
  /** Of what its owner has told: older news change nothing. */
  readonly heardseq: number;
  readonly createdat: Date;
  readonly updatedat: Date;
}

export function linkStatusAt(link: PaymentLink, now: Date): PaymentLinkView["status"] {
  const isExpired = link.expiresat !== null && link.expiresat <= now;
  return link.status === "active" && isExpired ? "expired" : link.status;
}

/** M-Pesa takes whole shillings, and only so many: the rest is asked again, surplus is credit. */
export function askable(owed: Cents): Cents {
  return cents(Math.min(promptMax, Math.max(promptMin, wholeShillings(owed))));
}

export function wholeShillings(owed: Cents): Cents {
  return cents(Math.ceil(owed / 100) * 100);
}

/** What an invoice says of itself, in an event or when it is asked. */
export interface InvoiceNews {
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

export function linkOfInvoice(news: InvoiceNews): PaymentLink {
  return {
    id: news.linkid,
    businessid: news.businessid,
    owner: "invoice",
    code: news.code,
    title: news.title,
    description: null,
    amount: news.owed > 0 ? askable(news.owed) : cents(0),
    reusable: false,
    expiresat: null,
    referenceid: null,
    invoiceid: news.invoiceid,
    subscriptionid: news.subscriptionid,
    status: news.status,
    heardseq: news.seq,
    createdat: news.createdat,
    updatedat: news.updatedat,
  };
}

export function viewLink(link: PaymentLink, publicUrl: string, now: Date): PaymentLinkView {
  const { id, amount, code } = link;
  return {
    _id: id,
    title: link.title,
    description: link.description,
    amount: amount === null ? null : formatShillings(amount),
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
