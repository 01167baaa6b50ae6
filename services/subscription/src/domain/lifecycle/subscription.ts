import type { BillingCycle, Cents } from "@malipo/core";
import type { Item } from "../item.ts";
import type { HistoryEntry } from "./history.ts";
import type { OpenInvoice } from "./open-invoices.ts";
import type { Status } from "./states.ts";

export interface Trial {
  readonly startdate: Date;
  readonly enddate: Date;
}

/** Manual invoices are numbered within the subscription. Number n + 1 is issued after n is closed. */
interface ManualInvoice {
  readonly n: number;
  /** Invoice n has been requested. */
  readonly asked: boolean;
}

export interface Subscription {
  readonly id: string;
  readonly businessid: string;
  readonly subscriptionno: string;
  readonly title: string;
  /** Assigned by `transition` only. */
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
  /** A boundary between two periods. All other boundaries are whole cycles away from it. */
  readonly billingAnchor: Date;
  /** The boundary that is billed next; null when no billing is scheduled. */
  readonly nextbillingdate: Date | null;
  /** The end of the newest billed period. */
  readonly coveredthrough: Date | null;
  readonly pendingsince: Date | null;
  /** The date of an expiry that has begun: the open invoices are being cancelled. */
  readonly expiringSince: Date | null;
  /** When to try again after the invoice service refused an expiry because of a payment. */
  readonly expiryRetryAt: Date | null;
  /** The subscription has ended, and its open renewal offers are not cancelled yet. */
  readonly mustWithdrawOffers: boolean;
  readonly manualInvoice: ManualInvoice;
  /** All its open invoices, and the newest of the closed ones. */
  readonly invoices: readonly OpenInvoice[];
  /** Prompts that were claimed in the current period. */
  readonly promptCount: number;
  readonly history: readonly HistoryEntry[];
  readonly createdat: Date;
  readonly updatedat: Date;
  readonly bucket: number;
  /** When the due job processes it next; null when nothing is scheduled. */
  readonly dueat: Date | null;
  /** Failures of the due job since its last success. */
  readonly failedAttempts: number;
  readonly parked: Parked | null;
  /** Since when it is due but not processed, because its business is suspended. */
  readonly heldBackSince: Date | null;
}

/** The part of a subscription that lists show. */
export type SummarizedSubscription = Pick<
  Subscription,
  | "id"
  | "subscriptionno"
  | "title"
  | "status"
  | "amount"
  | "billingcycle"
  | "autorenew"
  | "trial"
  | "nextbillingdate"
  | "customerid"
  | "createdat"
  | "updatedat"
>;

/** Processing failed too often. The subscription waits until an operator retries it. */
interface Parked {
  readonly reason: string;
  readonly at: Date;
}
