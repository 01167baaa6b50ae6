import type { NewEvent, TransactionView } from "@malipo/contracts";
import { addMs, bucketOf, type Cents, formatShillings } from "@malipo/core";
import { waits } from "./schedule.ts";

/** How far a payment has come. The first three are shown as pending. */
export const states = ["saved", "calling", "prompted", "completed", "failed", "cancelled"] as const;
export type State = (typeof states)[number];

export type Trigger =
  /** One worker takes it upon itself to call the provider. */
  | "call"
  /** The call surely reached nobody. */
  | "unsent"
  /** The provider took the request. */
  | "accept"
  /** The provider will not have it. */
  | "refuse"
  | "pay"
  | "decline"
  | "cancel"
  /** Nobody ever said what became of it. */
  | "giveUp";

/** The machine. Money that came is never overruled, and what was called is never called again. */
export const next = {
  saved: {
    call: "calling",
    pay: "completed",
    decline: "failed",
    cancel: "cancelled",
    giveUp: "failed",
  },
  calling: {
    unsent: "saved",
    accept: "prompted",
    refuse: "failed",
    pay: "completed",
    decline: "failed",
    cancel: "cancelled",
    giveUp: "failed",
  },
  prompted: { pay: "completed", decline: "failed", cancel: "cancelled", giveUp: "failed" },
  completed: {},
  failed: { pay: "completed" },
  cancelled: { pay: "completed" },
} as const satisfies Record<State, Partial<Record<Trigger, State>>>;

export function nextState(state: State, trigger: Trigger): State | undefined {
  return (next[state] as Partial<Record<Trigger, State>>)[trigger];
}

/** What the money is for, as far as that is known. */
export interface Purpose {
  readonly invoiceid: string | null;
  readonly subscriptionid: string | null;
  readonly customerid: string | null;
  readonly paymentlinkid: string | null;
  /** For people, on the receipt. */
  readonly invoiceno: string | null;
  readonly customername: string | null;
}

/** What a callback says of a prompt. */
export interface CallbackFacts {
  readonly checkoutrequestid: string;
  readonly merchantrequestid: string;
  readonly code: string;
  readonly amount: Cents | null;
  readonly receiptnumber: string | null;
}

/** One that came before the request for the prompt was answered, and how it stood. */
export interface EarlyCallback extends CallbackFacts {
  readonly trusted: boolean;
}

export interface Transaction extends Purpose {
  readonly id: string;
  readonly businessid: string;
  readonly state: State;
  readonly amount: Cents;
  readonly phone: string;
  /** Its digits from the last to the first: phones are looked for by how they end. */
  readonly phonetail: string;
  readonly referenceid: string | null;
  /** What the payer reads on the phone. */
  readonly title: string;
  /** Under what name it holds its phone and its amount. */
  readonly holder: string;
  /** The settings it was made with, and is asked about with; null for the sandbox's own. */
  readonly settingsid: string | null;
  readonly checkoutrequestid: string | null;
  readonly merchantrequestid: string | null;
  readonly responsedescription: string | null;
  readonly momoreceiptnumber: string | null;
  readonly reason: string | null;
  /** What the provider said when it refused, for whoever asks again with the same key. */
  readonly refusal: string | null;
  /** Since when it is saved, and not called. */
  readonly savedat: Date;
  readonly calledat: Date | null;
  readonly promptedat: Date | null;
  /** Whether payment.initiated has been said. */
  readonly announced: boolean;
  readonly early: readonly EarlyCallback[];
  /** The request's answer will not come: callbacks need not wait for it. */
  readonly answerlost: boolean;
  /** Since when the status query says that it is paid, while the callback has not come. */
  readonly paidsince: Date | null;
  /** What a callback from an unknown address claims, until a query says so too. */
  readonly claimedreceipt: string | null;
  /** Money came that does not fit: a person decides, and nothing else. */
  readonly suspended: boolean;
  /** The suspense entry whose money was counted for it. */
  readonly assigned: string | null;
  readonly queries: number;
  /** When somebody has to look at it; null when nobody has to any more. */
  readonly nextquery: Date | null;
  /** The share of a worker. */
  readonly bucket: number;
  readonly createdat: Date;
  readonly updatedat: Date;
  readonly completedat: Date | null;
}

export interface TransactionDraft extends Purpose {
  readonly holder: string;
  readonly title: string;
  readonly amount: Cents;
  readonly phone: string;
  readonly referenceid: string | null;
  readonly settingsid: string | null;
}

export function newTransaction(
  id: string,
  businessid: string,
  draft: TransactionDraft,
  now: Date,
): Transaction {
  return {
    id,
    businessid,
    ...draft,
    state: "saved",
    phonetail: reversed(draft.phone),
    checkoutrequestid: null,
    merchantrequestid: null,
    responsedescription: null,
    momoreceiptnumber: null,
    reason: null,
    refusal: null,
    savedat: now,
    calledat: null,
    promptedat: null,
    announced: false,
    early: [],
    answerlost: false,
    paidsince: null,
    claimedreceipt: null,
    suspended: false,
    assigned: null,
    queries: 0,
    nextquery: addMs(now, waits.savedMs),
    bucket: bucketOf(id),
    createdat: now,
    updatedat: now,
    completedat: null,
  };
}

/** What it pays for, as far as others may pay for the same. */
export function subjectOf({ invoiceid, paymentlinkid }: Purpose): string[] {
  if (invoiceid !== null) return [`invoice:${invoiceid}`];
  return paymentlinkid === null ? [] : [`link:${paymentlinkid}`];
}

export function reversed(digits: string): string {
  return digits.split("").toReversed().join("");
}

export function isPending({ state }: Pick<Transaction, "state">): boolean {
  return state === "saved" || state === "calling" || state === "prompted";
}

export function statusOf(state: State): TransactionView["status"] {
  return state === "completed" || state === "failed" || state === "cancelled" ? state : "pending";
}

export function viewTransaction(transaction: Transaction): TransactionView {
  const { id, completedat, createdat, updatedat } = transaction;
  return {
    _id: id,
    status: statusOf(transaction.state),
    amount: formatShillings(transaction.amount),
    currency: "KES",
    phone: transaction.phone,
    channel: "momo",
    referenceid: transaction.referenceid,
    checkoutrequestid: transaction.checkoutrequestid,
    merchantrequestid: transaction.merchantrequestid,
    momoreceiptnumber: transaction.momoreceiptnumber,
    reason: transaction.reason,
    customerid: transaction.customerid,
    invoiceid: transaction.invoiceid,
    paymentlinkid: transaction.paymentlinkid,
    createdat: createdat.toISOString(),
    updatedat: updatedat.toISOString(),
    completedat: completedat?.toISOString() ?? null,
  };
}

type PaymentEvent = Extract<NewEvent, { type: `payment.${string}` }>["type"];

export function paymentEvent(type: PaymentEvent, transaction: Transaction): NewEvent {
  const { invoiceid, subscriptionid, customerid, paymentlinkid } = transaction;
  return {
    type,
    data: {
      transactionid: transaction.id,
      checkoutrequestid: transaction.checkoutrequestid,
      amount: formatShillings(transaction.amount),
      phone: transaction.phone,
      momoreceiptnumber: transaction.momoreceiptnumber,
      referenceid: transaction.referenceid,
      status: type === "payment.initiated" ? "pending" : statusOf(transaction.state),
      reason: type === "payment.initiated" ? null : transaction.reason,
    },
    inside: { invoiceid, subscriptionid, customerid, paymentlinkid },
  };
}
