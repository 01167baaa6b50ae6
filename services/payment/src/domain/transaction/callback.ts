import { addMs } from "@malipo/core";
import { type Decision, finishTransaction, type UnmatchedPayment, changeOnly } from "./decide.ts";
import { type CallbackFacts, type ReportedResult, unpaidOutcome } from "./outcome.ts";
import { timeouts } from "./schedule.ts";
import type { EarlyCallback, Transaction } from "./transaction.ts";

/** What is known about a callback beside its content. */
export interface CallbackContext {
  /** It came from an address of the provider, or addresses are not checked. */
  readonly trusted: boolean;
  /** Its receipt number belongs to another transaction. */
  readonly isReceiptTaken: boolean;
}

const earlyCallbacksMax = 5;

/** Decides on a callback that came with the transaction's own token. */
export function receiveCallback(
  transaction: Transaction,
  callback: CallbackFacts,
  context: CallbackContext,
  now: Date,
): Decision | null {
  if (transaction.checkoutrequestid !== null) {
    return applyCallback(transaction, callback, context, now);
  }
  if (transaction.state !== "completed") {
    return keepEarlyCallback(transaction, callback, context, now);
  }
  // A person completed it without ids, from suspense. Only a second receipt number is news.
  const { checkoutrequestid, merchantrequestid } = callback;
  const identified = { ...transaction, checkoutrequestid, merchantrequestid };
  return applyCallback(identified, callback, context, now);
}

/**
 * Keeps a callback until the provider's ids are known. They come with the answer to the request, or a
 * query confirms the callback's own ids.
 */
function keepEarlyCallback(
  transaction: Transaction,
  callback: CallbackFacts,
  { trusted }: CallbackContext,
  now: Date,
): Decision | null {
  const isKept = transaction.early.some((each) => isSameCallback(each, { ...callback, trusted }));
  const isFull = transaction.early.length >= earlyCallbacksMax;
  if (isKept || isFull || transaction.inSuspense) return null;
  const kept = { ...transaction, early: [...transaction.early, { ...callback, trusted }] };
  return changeOnly({ ...kept, nextquery: answerExpectedUntil(kept) ?? now });
}

/** Null when the answer to the request is lost, or no request is under way. */
function answerExpectedUntil({ state, answerlost, calledat }: Transaction): Date | null {
  if (state !== "calling" || answerlost || calledat === null) return null;
  return addMs(calledat, timeouts.callAnswerMs);
}

/**
 * The callback whose own ids the provider must be queried about, because the answer to the request gave
 * no ids. Null while the answer may still come.
 */
export function unconfirmedCallback(transaction: Transaction, now: Date): EarlyCallback | null {
  const { checkoutrequestid, inSuspense, early } = transaction;
  const until = answerExpectedUntil(transaction);
  if (checkoutrequestid !== null || inSuspense || (until && now < until)) return null;
  return early[0] ?? null;
}

function isSameCallback(one: EarlyCallback, other: EarlyCallback): boolean {
  return (
    one.checkoutrequestid === other.checkoutrequestid &&
    one.merchantrequestid === other.merchantrequestid &&
    one.code === other.code &&
    one.amount === other.amount &&
    one.receiptnumber === other.receiptnumber
  );
}

/** Decides on a callback of a transaction whose ids are known. */
export function applyCallback(
  transaction: Transaction,
  callback: CallbackFacts,
  context: CallbackContext,
  now: Date,
): Decision | null {
  const hasItsIds =
    callback.checkoutrequestid === transaction.checkoutrequestid &&
    callback.merchantrequestid === transaction.merchantrequestid;
  const { result } = callback;
  if (result === "paid") {
    if (!hasItsIds) return reportUnmatched(transaction, "unknown_request", callback);
    return applyPayment(transaction, callback, context, now);
  }
  if (!hasItsIds || transaction.inSuspense) return null;
  return applyFailure(transaction, result, context, now);
}

function applyPayment(
  transaction: Transaction,
  callback: CallbackFacts,
  { trusted, isReceiptTaken }: CallbackContext,
  now: Date,
): Decision | null {
  const { amount, receiptnumber } = callback;
  const isCompleted = transaction.state === "completed";
  const isRepeated =
    isCompleted && (receiptnumber === null || receiptnumber === transaction.momoreceiptnumber);
  if (isRepeated || transaction.inSuspense) return null;
  if (isReceiptTaken) return reportUnmatched(transaction, "receipt_seen_twice", callback);
  if (amount !== null && amount !== transaction.amount) {
    return reportUnmatched(transaction, "wrong_amount", callback);
  }
  if (isCompleted && transaction.momoreceiptnumber !== null) {
    return reportUnmatched(transaction, "second_receipt", callback);
  }
  if (!trusted) {
    // For a completed payment it would only add a receipt number. That is not worth believing it.
    if (isCompleted) return null;
    return changeOnly({ ...transaction, unconfirmedreceipt: receiptnumber, nextquery: now });
  }
  if (isCompleted) {
    return changeOnly({ ...transaction, momoreceiptnumber: receiptnumber, updatedat: now });
  }
  return finishTransaction(transaction, { trigger: "pay", reason: null, receiptnumber }, now);
}

/** The money goes to the suspense list until a person assigns it. A completed payment stays as it is. */
function reportUnmatched(
  transaction: Transaction,
  kind: UnmatchedPayment["kind"],
  callback: CallbackFacts,
): Decision {
  const unmatched = [{ kind, callback }];
  const isOwnMoney = kind === "wrong_amount" || kind === "receipt_seen_twice";
  if (!isOwnMoney || transaction.state === "completed") {
    return { ...changeOnly(transaction), unmatched };
  }
  return { ...changeOnly({ ...transaction, inSuspense: true, nextquery: null }), unmatched };
}

function applyFailure(
  transaction: Transaction,
  result: Exclude<ReportedResult, "paid">,
  { trusted }: CallbackContext,
  now: Date,
): Decision | null {
  if (transaction.state === "completed" || transaction.paidsince !== null) {
    return { ...changeOnly(transaction), surprise: "contradicted" };
  }
  // A result that decides nothing, or that anyone may have sent, only causes a query at once.
  if (result === "undecided" || !trusted) return changeOnly({ ...transaction, nextquery: now });
  const outcome = { ...unpaidOutcome(result), verifyat: verifyFailureAt(transaction, now) };
  return finishTransaction(transaction, outcome, now);
}

/**
 * Callbacks have reported failures of payments that were made. A query verifies each failure, as soon as
 * queries are reliable.
 */
function verifyFailureAt({ promptedat, calledat }: Transaction, now: Date): Date {
  return addMs(promptedat ?? calledat ?? now, timeouts.declineFinalMs);
}
