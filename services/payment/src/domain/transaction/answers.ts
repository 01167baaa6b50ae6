import { addMs } from "@malipo/core";
import { applyCallback } from "./callback.ts";
import {
  andThen,
  type Decision,
  finishTransaction,
  giveUp,
  scheduleNextQuery,
  unconfirmedPayments,
  changeOnly,
} from "./decide.ts";
import {
  type DeclineReason,
  type ProviderIds,
  type StatusAnswer,
  unpaidOutcome,
} from "./outcome.ts";
import { nextQueryAt, timeouts } from "./schedule.ts";
import { isPending, nextState, type Transaction } from "./transaction.ts";
import { paymentEvent } from "./views.ts";

/** The provider accepted the request. Its answer gives ids, never an outcome. */
export function acceptPrompt(
  transaction: Transaction,
  { checkoutrequestid, merchantrequestid, description }: ProviderIds & { description: string },
  now: Date,
  isReceiptTaken = false,
): Decision | null {
  const ids = { checkoutrequestid, merchantrequestid, responsedescription: description };
  const state = nextState(transaction.state, "accept");
  if (!state) {
    // The outcome came before the answer to the request. Only the ids are missing.
    if (transaction.checkoutrequestid !== null) return null;
    const identified = changeOnly({ ...transaction, ...ids, early: [], updatedat: now });
    return applyEarlyCallbacks(identified, transaction.early, now, isReceiptTaken);
  }
  const prompted: Transaction = {
    ...transaction,
    ...ids,
    state,
    promptedat: now,
    announced: true,
    early: [],
    nextquery: nextQueryAt(now, 0),
    updatedat: now,
  };
  const accepted = { entity: prompted, events: [paymentEvent("payment.initiated", prompted)] };
  return applyEarlyCallbacks(accepted, transaction.early, now, isReceiptTaken);
}

/** Applies the callbacks that waited for the ids. Their own ids must match. */
function applyEarlyCallbacks(
  identified: Decision,
  early: Transaction["early"],
  now: Date,
  isReceiptTaken: boolean,
): Decision {
  return early.reduce(
    (decision, { trusted, ...callback }) =>
      andThen(decision, (entity) =>
        applyCallback(entity, callback, { trusted, isReceiptTaken }, now),
      ),
    identified,
  );
}

/** The answer to the request is lost, so early callbacks are checked at once. */
export function markAnswerLost(transaction: Transaction, now: Date): Decision | null {
  if (transaction.state !== "calling" || transaction.answerlost) return null;
  const lost = { ...transaction, answerlost: true };
  return changeOnly(lost.early.length > 0 ? { ...lost, nextquery: now } : lost);
}

/**
 * Applies the answer to a query about an early callback's ids. Anyone who knows the token can send a
 * callback with any ids. If the answer to the request gave none, a callback's own ids count as soon as
 * the provider knows them.
 */
export function confirmCallback(
  transaction: Transaction,
  callback: ProviderIds,
  answer: StatusAnswer,
  now: Date,
  isReceiptTaken = false,
): Decision | null {
  if (transaction.checkoutrequestid !== null) return null;
  if (answer.kind === "unanswered") {
    if (isPastLastQuery(transaction, now)) return stopChecking(transaction);
    // The next query is about the next callback.
    const [first, ...others] = transaction.early;
    const early = first ? [...others, first] : [];
    return reevaluate(transaction, now) ?? scheduleNextQuery({ ...transaction, early }, now);
  }
  const { checkoutrequestid, merchantrequestid } = callback;
  const ids = { checkoutrequestid, merchantrequestid };
  const identified = { ...transaction, ...ids, early: [], nextquery: nextQueryAt(now, 0) };
  return applyEarlyCallbacks(changeOnly(identified), transaction.early, now, isReceiptTaken);
}

/**
 * Applies the answer to a status query. A query gives no receipt number, and in the first minutes after
 * the prompt its "not paid" may be wrong.
 */
export function applyStatusAnswer(
  transaction: Transaction,
  answer: StatusAnswer,
  now: Date,
  isReceiptTaken = false,
): Decision | null {
  if (transaction.inSuspense || transaction.state === "completed") return stopChecking(transaction);
  switch (answer.kind) {
    case "paid":
      return applyPaidAnswer(transaction, now, isReceiptTaken);
    case "declined":
      return applyDeclinedAnswer(transaction, answer.reason, now);
    default:
      if (isPastLastQuery(transaction, now)) return stopChecking(transaction);
      return reevaluate(transaction, now) ?? scheduleNextQuery(transaction, now);
  }
}

function applyPaidAnswer(
  transaction: Transaction,
  now: Date,
  isReceiptTaken: boolean,
): Decision | null {
  const { unconfirmedreceipt } = transaction;
  if (unconfirmedreceipt !== null) {
    // It is paid. A number that belongs to another transaction only shows that the callback lied.
    const receiptnumber = isReceiptTaken ? null : unconfirmedreceipt;
    return finishTransaction(transaction, { trigger: "pay", reason: null, receiptnumber }, now);
  }
  // A callback reported a failure before, and it was wrong.
  if (!isPending(transaction)) {
    return finishTransaction(transaction, { trigger: "pay", reason: null }, now);
  }
  const due = reevaluate(transaction, now);
  if (due || transaction.paidsince !== null) return due;
  const nextquery = addMs(now, timeouts.callbackMs);
  return changeOnly({ ...transaction, paidsince: now, nextquery });
}

function applyDeclinedAnswer(
  transaction: Transaction,
  reason: DeclineReason,
  now: Date,
): Decision | null {
  if (!isPending(transaction)) return stopChecking(transaction);
  // A query said "paid" before, and that cannot be undone.
  if (transaction.paidsince !== null) return reevaluate(transaction, now);
  const finalFrom = addMs(
    transaction.promptedat ?? transaction.calledat ?? now,
    timeouts.declineFinalMs,
  );
  if (now >= finalFrom) return finishTransaction(transaction, unpaidOutcome(reason), now);
  const queries = transaction.queries + 1;
  return changeOnly({ ...transaction, queries, nextquery: finalFrom });
}

/** Decides what follows from the time alone. */
export function reevaluate(transaction: Transaction, now: Date): Decision | null {
  const { state, unsentsince, calledat, paidsince } = transaction;
  const hasPassed = (since: Date | null, ms: number) => since !== null && now >= addMs(since, ms);
  if (transaction.inSuspense) return null;
  if (state === "unsent") {
    return hasPassed(unsentsince, timeouts.unsentMs) ? giveUp(transaction, now) : null;
  }
  if (state !== "calling" && state !== "prompted") return null;
  if (hasPassed(paidsince, timeouts.callbackMs)) {
    return finishTransaction(transaction, { trigger: "pay", reason: null }, now);
  }
  return hasPassed(calledat, timeouts.unresolvedMs) ? giveUp(transaction, now) : null;
}

/** A failed transaction is queried for a day only. */
function isPastLastQuery(transaction: Transaction, now: Date): boolean {
  const { calledat, unsentsince } = transaction;
  return !isPending(transaction) && now >= addMs(calledat ?? unsentsince, timeouts.unresolvedMs);
}

/** The reconciliation job need not check it any more. */
function stopChecking(transaction: Transaction): Decision | null {
  if (transaction.nextquery === null) return null;
  const unchecked = { ...transaction, early: [], nextquery: null, unconfirmedreceipt: null };
  return { ...changeOnly(unchecked), unmatched: unconfirmedPayments(transaction) };
}
