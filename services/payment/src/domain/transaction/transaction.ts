import { attemptPattern } from "@malipo/contracts";
import { addMs, bucketOf, type Cents } from "@malipo/core";
import type { Visitor } from "../visitor.ts";
import type { CallbackFacts } from "./outcome.ts";
import { nextQueryAt, timeouts } from "./schedule.ts";

/** `unsent`, `calling` and `prompted` are shown to businesses as pending. */
export const states = [
  "unsent",
  "calling",
  "prompted",
  "completed",
  "failed",
  "cancelled",
] as const;
export type State = (typeof states)[number];

export type Trigger =
  /** One process is about to call the provider. */
  | "call"
  /** The request certainly did not reach the provider. */
  | "unsend"
  /** The provider accepted the request. */
  | "accept"
  /** The provider refused the request. */
  | "refuse"
  | "pay"
  | "decline"
  | "cancel"
  /** The outcome did not become known in time, or the request was not sent in time. */
  | "giveUp";

/**
 * The transition table. `completed` is final: no report can undo a payment. `calling` is reached from
 * `unsent` only, so a request that may have left is never sent again.
 */
export const transitions = {
  unsent: {
    call: "calling",
    pay: "completed",
    decline: "failed",
    cancel: "cancelled",
    giveUp: "failed",
  },
  calling: {
    unsend: "unsent",
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
  return (transitions[state] as Partial<Record<Trigger, State>>)[trigger];
}

/** The purpose of the money, as far as it is known. */
export interface Purpose {
  readonly invoiceid: string | null;
  readonly subscriptionid: string | null;
  readonly customerid: string | null;
  readonly paymentlinkid: string | null;
  /** Shown on the receipt. */
  readonly invoiceno: string | null;
  /** Shown on the receipt. */
  readonly customername: string | null;
}

/** The purpose of a payment that names no invoice, link or subscription. */
export const noPurpose: Purpose = {
  invoiceid: null,
  subscriptionid: null,
  customerid: null,
  paymentlinkid: null,
  invoiceno: null,
  customername: null,
};

/** A callback that came before the provider's ids were known. */
export interface EarlyCallback extends CallbackFacts {
  /** It came from an address that is believed at once. */
  readonly trusted: boolean;
}

export interface Transaction extends Purpose, Visitor {
  readonly id: string;
  readonly businessid: string;
  readonly state: State;
  readonly amount: Cents;
  readonly phone: string;
  /** The phone's digits in reverse order, because a search gives the last digits. */
  readonly phonetail: string;
  readonly referenceid: string | null;
  /** The text that the payer reads on the phone. */
  readonly title: string;
  /** The name under which it holds its phone and reserves its amount. */
  readonly holder: string;
  /** The provider settings of this payment; null for the sandbox's own account. */
  readonly settingsid: string | null;
  readonly checkoutrequestid: string | null;
  readonly merchantrequestid: string | null;
  readonly responsedescription: string | null;
  readonly momoreceiptnumber: string | null;
  readonly reason: string | null;
  /** The provider's text when it refused. A repeated request gets it again. */
  readonly refusal: string | null;
  /** Since when it waits in `unsent`. */
  readonly unsentsince: Date;
  readonly calledat: Date | null;
  readonly promptedat: Date | null;
  /** `payment.initiated` has been emitted, or will not be. */
  readonly announced: boolean;
  readonly early: readonly EarlyCallback[];
  /** The provider's answer is lost, so early callbacks need not wait for it. */
  readonly answerlost: boolean;
  /** Since when a status query says that it is paid, while the callback has not come. */
  readonly paidsince: Date | null;
  /** The receipt number in a callback from an untrusted address, until a query confirms it. */
  readonly unconfirmedreceipt: string | null;
  /** Its money is in suspense: only a person decides. */
  readonly inSuspense: boolean;
  /** The suspense entry whose money was counted for it. */
  readonly assigned: string | null;
  /** Status queries sent. */
  readonly queries: number;
  /** When the reconciliation job checks it next; null when it need not. */
  readonly nextquery: Date | null;
  /** Hash of the id, by which workers share work. */
  readonly bucket: number;
  readonly createdat: Date;
  readonly updatedat: Date;
  readonly completedat: Date | null;
}

export interface TransactionDraft extends Purpose, Visitor {
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
    state: "unsent",
    phonetail: reverseDigits(draft.phone),
    checkoutrequestid: null,
    merchantrequestid: null,
    responsedescription: null,
    momoreceiptnumber: null,
    reason: null,
    refusal: null,
    unsentsince: now,
    calledat: null,
    promptedat: null,
    announced: false,
    early: [],
    answerlost: false,
    paidsince: null,
    unconfirmedreceipt: null,
    inSuspense: false,
    assigned: null,
    queries: 0,
    nextquery: addMs(now, timeouts.unsentMs),
    bucket: bucketOf(id),
    createdat: now,
    updatedat: now,
    completedat: null,
  };
}

/** Names the debt that several payments may pay at once; null when there is no such debt. */
export function debtIdOf({ invoiceid, paymentlinkid }: Purpose): string | null {
  if (invoiceid !== null) return `invoice:${invoiceid}`;
  return paymentlinkid === null ? null : `link:${paymentlinkid}`;
}

export function reverseDigits(digits: string): string {
  return digits.split("").toReversed().join("");
}

/** A visitor of a pay page asked for it. The page's secret is its holder, and has a form of its own. */
export function isAskedByPage({ holder }: Pick<Transaction, "holder">): boolean {
  return attemptPattern.test(holder);
}

export function isPending({ state }: Pick<Transaction, "state">): boolean {
  return state === "unsent" || state === "calling" || state === "prompted";
}

/** When time alone may change a transaction that cannot be queried; null for never. */
export function nextCheckAt(transaction: Transaction): Date | null {
  const { state, unsentsince, calledat, early, inSuspense, updatedat, queries } = transaction;
  if (inSuspense) return null;
  switch (state) {
    case "unsent":
      return addMs(unsentsince, timeouts.unsentMs);
    case "calling":
      return addMs(
        calledat ?? updatedat,
        early.length > 0 ? timeouts.callAnswerMs : timeouts.unresolvedMs,
      );
    case "prompted":
      return nextQueryAt(updatedat, queries);
    default:
      return null;
  }
}
