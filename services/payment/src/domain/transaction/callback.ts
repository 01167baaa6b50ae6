import { addMs } from "@malipo/core";
import { type Decided, type Decision, type Misfit, quietly, settle } from "./decide.ts";
import { outcomeOf } from "./outcome.ts";
import { paidCode, stillProcessingCode } from "../../providers/daraja/result-codes.ts";
import { waits } from "./schedule.ts";
import type { CallbackFacts, EarlyCallback, Transaction } from "./transaction.ts";

/** What is known of a callback beside what it says. */
export interface Standing {
  /** It came from an address of the provider, or addresses are not looked at. */
  readonly trusted: boolean;
  /** Its receipt number belongs to another transaction. */
  readonly receipttaken: boolean;
}

const earlyMax = 5;

/** A callback that came under the transaction's own token. */
export function hearCallback(
  transaction: Transaction,
  callback: CallbackFacts,
  standing: Standing,
  now: Date,
): Decided {
  if (transaction.checkoutrequestid !== null) {
    return applyCallback(transaction, callback, standing, now);
  }
  if (transaction.state !== "completed") return keepEarly(transaction, callback, standing, now);
  // A person counted it: nothing is to be decided, and only a second receipt would be news.
  const { checkoutrequestid, merchantrequestid } = callback;
  const identified = { ...transaction, checkoutrequestid, merchantrequestid };
  return applyCallback(identified, callback, standing, now);
}

/** It has to match ids that only the provider can tell: by its answer to the request, or when it is asked. */
function keepEarly(
  transaction: Transaction,
  callback: CallbackFacts,
  standing: Standing,
  now: Date,
): Decided {
  const early: EarlyCallback = { ...callback, trusted: standing.trusted };
  const isThere = transaction.early.some((each) => isSame(each, early));
  if (isThere || transaction.suspended || transaction.early.length >= earlyMax) return null;
  const kept = { ...transaction, early: [...transaction.early, early] };
  return quietly({ ...kept, nextquery: answerAwaitedUntil(kept) ?? now });
}

/** Null when the request's answer is known to be lost, or was never waited for. */
function answerAwaitedUntil({ state, answerlost, calledat }: Transaction): Date | null {
  if (state !== "calling" || answerlost || calledat === null) return null;
  return addMs(calledat, waits.callMs);
}

/** The callback whose ids the provider is to be asked about, as its answer did not tell any. */
export function claimToCheck(transaction: Transaction, now: Date): EarlyCallback | null {
  const { checkoutrequestid, suspended, early } = transaction;
  const until = answerAwaitedUntil(transaction);
  if (checkoutrequestid !== null || suspended || (until && now < until)) return null;
  return early[0] ?? null;
}

function isSame(one: EarlyCallback, other: EarlyCallback): boolean {
  return (
    one.checkoutrequestid === other.checkoutrequestid &&
    one.merchantrequestid === other.merchantrequestid &&
    one.code === other.code &&
    one.amount === other.amount &&
    one.receiptnumber === other.receiptnumber
  );
}

export function applyCallback(
  transaction: Transaction,
  callback: CallbackFacts,
  standing: Standing,
  now: Date,
): Decided {
  const isOurs =
    callback.checkoutrequestid === transaction.checkoutrequestid &&
    callback.merchantrequestid === transaction.merchantrequestid;
  if (callback.code === paidCode) {
    if (!isOurs) return misfit(transaction, "unknown_request", callback);
    return applyPayment(transaction, callback, standing, now);
  }
  if (!isOurs || transaction.suspended) return null;
  return applyFailure(transaction, callback.code, standing, now);
}

function applyPayment(
  transaction: Transaction,
  callback: CallbackFacts,
  { trusted, receipttaken }: Standing,
  now: Date,
): Decided {
  const { amount, receiptnumber } = callback;
  const isCompleted = transaction.state === "completed";
  const isRepeated =
    isCompleted && (receiptnumber === null || receiptnumber === transaction.momoreceiptnumber);
  if (isRepeated) return null;
  if (transaction.suspended) return null;
  if (receipttaken) return misfit(transaction, "receipt_seen_twice", callback);
  if (amount !== null && amount !== transaction.amount)
    return misfit(transaction, "wrong_amount", callback);
  if (isCompleted && transaction.momoreceiptnumber !== null) {
    return misfit(transaction, "second_receipt", callback);
  }
  if (!trusted) {
    // A receipt alone is not worth believing a stranger.
    if (isCompleted) return null;
    return quietly({ ...transaction, claimedreceipt: receiptnumber, nextquery: now });
  }
  if (isCompleted) {
    return quietly({ ...transaction, momoreceiptnumber: receiptnumber, updatedat: now });
  }
  return settle(transaction, { trigger: "pay", reason: null, receiptnumber }, now);
}

/** Money that does not fit is nobody's until a person says whose; a finished payment stays as it is. */
function misfit(transaction: Transaction, kind: Misfit["kind"], callback: CallbackFacts): Decision {
  const misfits = [{ kind, callback }];
  const isOwn = kind === "wrong_amount" || kind === "receipt_seen_twice";
  if (!isOwn || transaction.state === "completed") return { ...quietly(transaction), misfits };
  return { ...quietly({ ...transaction, suspended: true, nextquery: null }), misfits };
}

function applyFailure(
  transaction: Transaction,
  code: string,
  { trusted }: Standing,
  now: Date,
): Decided {
  if (transaction.state === "completed" || transaction.paidsince !== null) {
    return { ...quietly(transaction), surprise: "contradicted" };
  }
  // A result that is none, or that anybody may have sent, is a reason to ask.
  if (code === "" || code === stillProcessingCode || !trusted)
    return quietly({ ...transaction, nextquery: now });
  return settle(transaction, { ...outcomeOf(code), verifyat: verifyAt(transaction, now) }, now);
}

/** Callbacks have said "not paid" of payments: one that says so is checked when queries can be relied on. */
function verifyAt({ promptedat, calledat }: Transaction, now: Date): Date {
  return addMs(promptedat ?? calledat ?? now, waits.declineMs);
}
