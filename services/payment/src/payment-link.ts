import type { PaymentLinkView } from "@malipo/contracts";
import { type Cents, formatShillings, type LinkOwner } from "@malipo/core";

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
