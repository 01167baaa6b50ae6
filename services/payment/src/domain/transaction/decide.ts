import type { NewEvent } from "@malipo/contracts";
import { addMs, type Cents } from "@malipo/core";
import type { ReportedPayment } from "./outcome.ts";
import { nextQueryAt, timeouts } from "./schedule.ts";
import { nextState, type State, type Transaction, type Trigger } from "./transaction.ts";
import { paymentEvent } from "./views.ts";

/** Money that came and fits no transaction. A person decides what it was for. */
export interface UnmatchedPayment {
  readonly kind: "wrong_amount" | "receipt_seen_twice" | "second_receipt" | "unknown_request";
  readonly callback: ReportedPayment;
}

/** A changed transaction and its consequences. A function that decides nothing returns null. */
export interface Decision {
  readonly entity: Transaction;
  readonly events: readonly NewEvent[];
  readonly unmatched?: readonly UnmatchedPayment[];
  /** Counted and logged: the provider contradicted itself. */
  readonly surprise?: "overturned" | "contradicted";
}

interface Outcome {
  readonly trigger: Extract<Trigger, "pay" | "decline" | "cancel" | "giveUp">;
  readonly reason: string | null;
  readonly receiptnumber?: string | null;
  /** When a status query verifies this outcome. */
  readonly verifyat?: Date;
}

/** The process that stores this decision is the one that calls the provider. */
export function startCall(transaction: Transaction, now: Date): Decision | null {
  const state = nextState(transaction.state, "call");
  // A callback proves that the request was sent after all.
  if (!state || transaction.early.length > 0) return null;
  const nextquery = addMs(now, timeouts.unresolvedMs);
  return changeOnly({ ...transaction, state, calledat: now, nextquery, updatedat: now });
}

/** The call did not reach the provider, unless a callback proves the opposite. */
export function returnToUnsent(transaction: Transaction, now: Date): Decision | null {
  const state = nextState(transaction.state, "unsend");
  if (!state || transaction.early.length > 0) return null;
  const nextquery = addMs(now, timeouts.unsentMs);
  return changeOnly({ ...transaction, state, unsentsince: now, nextquery, updatedat: now });
}

/** The provider refused the request, and no phone was prompted. */
export function refuse(transaction: Transaction, details: string, now: Date): Decision | null {
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

/** The request was not sent in time, or its outcome did not become known in time. */
export function giveUp(transaction: Transaction, now: Date): Decision | null {
  const reason = transaction.state === "unsent" ? "not_sent" : "unresolved";
  const finished = finishTransaction(transaction, { trigger: "giveUp", reason }, now);
  return finished && { ...finished, unmatched: unconfirmedPayments(transaction) };
}

/** Payments that callbacks reported and no query confirmed. A person must judge them. */
export function unconfirmedPayments(transaction: Transaction): UnmatchedPayment[] {
  const early = transaction.early.filter(({ result }) => result === "paid");
  return [...early, ...untrustedCallbackOf(transaction)].map(
    ({ checkoutrequestid, merchantrequestid, amount, receiptnumber }) => ({
      kind: "unknown_request",
      callback: { checkoutrequestid, merchantrequestid, amount, receiptnumber },
    }),
  );
}

/**
 * The callback from an untrusted address. The transaction keeps only its receipt number, because all
 * its other facts matched the transaction.
 */
function untrustedCallbackOf(transaction: Transaction): ReportedPayment[] {
  const { unconfirmedreceipt: receiptnumber, amount } = transaction;
  if (receiptnumber === null) return [];
  const checkoutrequestid = transaction.checkoutrequestid ?? "";
  const merchantrequestid = transaction.merchantrequestid ?? "";
  return [{ checkoutrequestid, merchantrequestid, amount, receiptnumber }];
}

/** Ends a transaction, or corrects its end: a payment overrules an earlier failure. */
export function finishTransaction(
  transaction: Transaction,
  outcome: Outcome,
  now: Date,
): Decision | null {
  const { trigger, reason, receiptnumber = null, verifyat = null } = outcome;
  const state = nextState(transaction.state, trigger);
  if (!state) return null;
  const isFirstOutcome = transaction.state !== "failed" && transaction.state !== "cancelled";
  // A request that was never sent is not announced.
  const wasSent = transaction.state !== "unsent" || trigger !== "giveUp";
  const entity: Transaction = {
    ...transaction,
    state,
    reason,
    momoreceiptnumber: receiptnumber,
    announced: true,
    early: [],
    paidsince: null,
    unconfirmedreceipt: null,
    nextquery: verifyat,
    updatedat: now,
    completedat: state === "completed" ? now : null,
  };
  const mustAnnounce = !transaction.announced && wasSent && isFirstOutcome;
  return {
    entity,
    events: [
      ...(mustAnnounce ? [paymentEvent("payment.initiated", entity)] : []),
      paymentEvent(finalEventType(state), entity),
    ],
    ...(!isFirstOutcome && { surprise: "overturned" as const }),
  };
}

function finalEventType(state: State) {
  return state === "completed" ? "payment.completed" : "payment.failed";
}

/** Counts one query without an outcome, and schedules the next one. */
export function scheduleNextQuery(transaction: Transaction, now: Date): Decision {
  const queries = transaction.queries + 1;
  return changeOnly({ ...transaction, queries, nextquery: nextQueryAt(now, queries) });
}

/** A decision that emits no event. */
export function changeOnly(entity: Transaction): Decision {
  return { entity, events: [] };
}

/** Combines two decisions; the second one sees the result of the first. */
export function andThen(
  first: Decision,
  decide: (entity: Transaction) => Decision | null,
): Decision {
  const second = decide(first.entity);
  if (!second) return first;
  return {
    ...first,
    ...second,
    events: [...first.events, ...second.events],
    unmatched: [...(first.unmatched ?? []), ...(second.unmatched ?? [])],
  };
}

/** Counts money from suspense for this transaction, with the amount that came. */
export function assignPayment(
  transaction: Transaction,
  money: {
    readonly id: string;
    readonly amount: Cents | null;
    readonly momoreceiptnumber: string | null;
  },
  now: Date,
): Decision | null {
  const amount = money.amount ?? transaction.amount;
  const entity = { ...transaction, amount, inSuspense: false, assigned: money.id };
  const receiptnumber = money.momoreceiptnumber;
  return finishTransaction(entity, { trigger: "pay", reason: null, receiptnumber }, now);
}
