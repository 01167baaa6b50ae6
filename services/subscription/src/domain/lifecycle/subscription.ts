import { type BillingCycle, type Cents, multiplyCents, sumCents } from "@malipo/core";
import type { HistoryEntry } from "./history.ts";
import type { OpenInvoice } from "./open-invoices.ts";
import type { Status } from "./states.ts";

export interface Item {
  readonly itemid: string;
  readonly title: string;
  readonly quantity: number;
  readonly rate: Cents;
}

export interface Trial {
  readonly startdate: Date;
  readonly enddate: Date;
}

/** Invoices by hand have numbers of their own: the next one is made when this one is closed. */
interface ByHand {
  readonly n: number;
  readonly asked: boolean;
}

export interface Subscription {
  readonly id: string;
  readonly businessid: string;
  readonly subscriptionno: string;
  readonly title: string;
  readonly status: Status;
  readonly customerid: string;
  readonly items: readonly Item[];
  readonly amount: Cents;
  readonly billingcycle: BillingCycle;
  readonly autorenew: boolean;
  readonly planid: string | null;
  readonly trial: Trial | null;
  readonly enddate: Date | null;
  readonly remark: string | null;
  readonly cancelreason: string | null;
  /** The code of its pay link. */
  readonly code: string;
  /** Any boundary between two periods: with the cycle it gives all others. */
  readonly rhythm: Date;
  /** The boundary that is billed next; null when nothing is scheduled. */
  readonly nextbillingdate: Date | null;
  /** Until when its customer has been billed. */
  readonly coveredthrough: Date | null;
  readonly pendingsince: Date | null;
  /** Since when its open invoices are being cancelled, so that it can expire. */
  readonly expiring: Date | null;
  /** An expiry that was refused, because a payment was under way, is tried again from here. */
  readonly expirefrom: Date | null;
  /** Whether renewals that were offered still have to be cancelled, after its end. */
  readonly withdrawing: boolean;
  readonly byhand: ByHand;
  /** What it knows of its invoices: those that are open, and the newest of those that were. */
  readonly invoices: readonly OpenInvoice[];
  /** How often its customer was prompted in this period. */
  readonly prompts: number;
  readonly history: readonly HistoryEntry[];
  readonly createdat: Date;
  readonly updatedat: Date;
  /** The share of a worker. */
  readonly bucket: number;
  /** When somebody has to look at it again; null when nobody has to. */
  readonly dueat: Date | null;
  /** How often looking at it has failed since it last succeeded. */
  readonly tries: number;
  readonly parked: Parked | null;
  /** Since when it is due and put off, because its business is suspended. */
  readonly heldback: Date | null;
}

/** It failed too often, and waits for an operator. */
interface Parked {
  readonly reason: string;
  readonly at: Date;
}

export function lineAmount({ rate, quantity }: Pick<Item, "rate" | "quantity">): Cents {
  return multiplyCents(rate, quantity);
}

export function amountOf(items: readonly Item[]): Cents {
  return sumCents(items.map(lineAmount));
}

export function isFinal({ status }: Pick<Subscription, "status">): boolean {
  return status === "cancelled" || status === "expired";
}
