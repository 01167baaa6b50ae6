import type { NewEvent } from "@malipo/contracts";
import { addMs, type Cents } from "@malipo/core";
import { paidCode } from "../../providers/daraja/result-codes.ts";
import { nextQueryAt, waits } from "./schedule.ts";
import {
  type CallbackFacts,
  nextState,
  paymentEvent,
  type State,
  type Transaction,
  type Trigger,
} from "./transaction.ts";

/** Money that came and does not fit; a person decides what it was for. */
export interface Misfit {
  readonly kind: "wrong_amount" | "receipt_seen_twice" | "second_receipt" | "unknown_request";
  readonly callback: CallbackFacts;
}

export interface Decision {
  readonly entity: Transaction;
  readonly events: readonly NewEvent[];
  readonly misfits?: readonly Misfit[];
  /** What should not have happened, for whoever watches. */
  readonly surprise?: "overturned" | "contradicted";
}

/** Nothing changes where there is no decision. */
export type Decided = Decision | null;

interface Outcome {
  readonly trigger: Extract<Trigger, "pay" | "decline" | "cancel" | "giveUp">;
  readonly reason: string | null;
  readonly receiptnumber?: string | null;
  /** When somebody is to look whether it is true. */
  readonly verifyat?: Date;
}

/** One worker is to call the provider: whoever saves this. */
export function call(transaction: Transaction, now: Date): Decided {
  const state = nextState(transaction.state, "call");
  // What was called back was sent after all.
  if (!state || transaction.early.length > 0) return null;
  const nextquery = addMs(now, waits.unresolvedMs);
  return quietly({ ...transaction, state, calledat: now, nextquery, updatedat: now });
}

/** The call reached nobody. A callback that came all the same knows better. */
export function unsent(transaction: Transaction, now: Date): Decided {
  const state = nextState(transaction.state, "unsent");
  if (!state || transaction.early.length > 0) return null;
  const nextquery = addMs(now, waits.savedMs);
  return quietly({ ...transaction, state, savedat: now, nextquery, updatedat: now });
}

/** The provider will not have it, and no phone was prompted. */
export function refuse(transaction: Transaction, details: string, now: Date): Decided {
  const state = nextState(transaction.state, "refuse");
  if (!state || transaction.early.length > 0) return null;
  const entity: Transaction = {
    ...transaction,
    state,
    reason: "refused",
    refusal: details,
    nextquery: null,
    updatedat: now,
  };
  return { entity, events: [paymentEvent("payment.failed", entity)] };
}

/** Nobody knows any more what became of it, or it was never sent. */
export function giveUp(transaction: Transaction, now: Date): Decided {
  const reason = transaction.state === "saved" ? "not_sent" : "unresolved";
  const settled = settle(transaction, { trigger: "giveUp", reason }, now);
  return settled && { ...settled, misfits: unprovenMoney(transaction) };
}

/** What callbacks claimed and nobody could confirm is a person's to judge. */
export function unprovenMoney(transaction: Transaction): Misfit[] {
  const early = transaction.early.filter(({ code }) => code === paidCode);
  return [...early, ...claimOf(transaction)].map(
    ({ checkoutrequestid, merchantrequestid, code, amount, receiptnumber }) => ({
      kind: "unknown_request",
      callback: { checkoutrequestid, merchantrequestid, code, amount, receiptnumber },
    }),
  );
}

/** The callback from an unknown address, of which only the receipt was kept: the rest was right. */
function claimOf(transaction: Transaction): CallbackFacts[] {
  const { claimedreceipt: receiptnumber, amount } = transaction;
  if (receiptnumber === null) return [];
  const checkoutrequestid = transaction.checkoutrequestid ?? "";
  const merchantrequestid = transaction.merchantrequestid ?? "";
  return [{ checkoutrequestid, merchantrequestid, code: paidCode, amount, receiptnumber }];
}

/** The end of a payment, or its correction: money that came makes up for an earlier failure. */
export function settle(transaction: Transaction, outcome: Outcome, now: Date): Decided {
  const { trigger, reason, receiptnumber = null, verifyat = null } = outcome;
  const state = nextState(transaction.state, trigger);
  if (!state) return null;
  const isFirst = transaction.state !== "failed" && transaction.state !== "cancelled";
  // Of a request that was never sent, nobody was told and nobody will be.
  const wasSent = transaction.state !== "saved" || trigger !== "giveUp";
  const entity: Transaction = {
    ...transaction,
    state,
    reason,
    momoreceiptnumber: receiptnumber,
    announced: true,
    early: [],
    paidsince: null,
    claimedreceipt: null,
    nextquery: verifyat,
    updatedat: now,
    completedat: state === "completed" ? now : null,
  };
  return {
    entity,
    events: [
      ...(transaction.announced || !wasSent || !isFirst
        ? []
        : [paymentEvent("payment.initiated", entity)]),
      paymentEvent(eventOf(state), entity),
    ],
    ...(!isFirst && { surprise: "overturned" as const }),
  };
}

function eventOf(state: State) {
  return state === "completed" ? "payment.completed" : "payment.failed";
}

/** Looked at again at its own time; nothing else changes. */
export function askAgain(transaction: Transaction, now: Date): Decided {
  const queries = transaction.queries + 1;
  return quietly({ ...transaction, queries, nextquery: nextQueryAt(now, queries) });
}

export function quietly(entity: Transaction): Decision {
  return { entity, events: [] };
}

/** One after the other: each decides on what the one before has made. */
export function andThen(first: Decision, decide: (entity: Transaction) => Decided): Decision {
  const second = decide(first.entity);
  if (!second) return first;
  return {
    ...first,
    ...second,
    events: [...first.events, ...second.events],
    misfits: [...(first.misfits ?? []), ...(second.misfits ?? [])],
  };
}

/** A person says that money which fitted nothing was for this one; it counts with what came. */
export function assign(
  transaction: Transaction,
  money: {
    readonly id: string;
    readonly amount: Cents | null;
    readonly momoreceiptnumber: string | null;
  },
  now: Date,
): Decided {
  const amount = money.amount ?? transaction.amount;
  const entity = { ...transaction, amount, suspended: false, assigned: money.id };
  const receiptnumber = money.momoreceiptnumber;
  return settle(entity, { trigger: "pay", reason: null, receiptnumber }, now);
}
