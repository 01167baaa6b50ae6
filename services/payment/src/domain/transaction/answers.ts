import { addMs } from "@malipo/core";
import { applyCallback } from "./callback.ts";
import {
  andThen,
  askAgain,
  type Decided,
  type Decision,
  giveUp,
  quietly,
  settle,
  unprovenMoney,
} from "./decide.ts";
import type { ProviderIds, StatusAnswer } from "../../providers/provider.ts";
import { outcomeOf } from "./outcome.ts";
import { nextQueryAt, waits } from "./schedule.ts";
import {
  type CallbackFacts,
  isPending,
  nextState,
  paymentEvent,
  type Transaction,
} from "./transaction.ts";

/** The provider took the request: that gives ids, and never an outcome. */
export function accept(
  transaction: Transaction,
  { checkoutrequestid, merchantrequestid, description }: ProviderIds & { description: string },
  now: Date,
  receipttaken = false,
): Decided {
  const ids = { checkoutrequestid, merchantrequestid, responsedescription: description };
  const state = nextState(transaction.state, "accept");
  if (!state) {
    // Its outcome was faster than the answer to its request.
    if (transaction.checkoutrequestid !== null) return null;
    const identified = quietly({ ...transaction, ...ids, early: [], updatedat: now });
    return hearEarly(identified, transaction.early, now, receipttaken);
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
  const events = [paymentEvent("payment.initiated", prompted)];
  return hearEarly({ entity: prompted, events }, transaction.early, now, receipttaken);
}

/** What came before the ids were known has waited for them: it must match. */
function hearEarly(
  identified: Decision,
  early: Transaction["early"],
  now: Date,
  receipttaken: boolean,
): Decision {
  return early.reduce(
    (decided, { trusted, ...callback }) =>
      andThen(decided, (entity) => applyCallback(entity, callback, { trusted, receipttaken }, now)),
    identified,
  );
}

/** Its answer tells nothing, so that what was called back need not wait for it any longer. */
export function loseAnswer(transaction: Transaction, now: Date): Decided {
  if (transaction.state !== "calling" || transaction.answerlost) return null;
  const lost = { ...transaction, answerlost: true };
  return quietly(lost.early.length > 0 ? { ...lost, nextquery: now } : lost);
}

/**
 * Who knows the token may call back with any ids. Where the request's answer has told none, a
 * callback's own count once the provider knows them.
 */
export function hearOfClaim(
  transaction: Transaction,
  claim: CallbackFacts,
  answer: StatusAnswer,
  now: Date,
  receipttaken = false,
): Decided {
  if (transaction.checkoutrequestid !== null) return null;
  if (answer.kind === "unanswered") {
    if (hasBeenTried(transaction, now)) return forget(transaction);
    const [first, ...others] = transaction.early;
    const early = first ? [...others, first] : [];
    return tick(transaction, now) ?? askAgain({ ...transaction, early }, now);
  }
  const { checkoutrequestid, merchantrequestid } = claim;
  const ids = { checkoutrequestid, merchantrequestid };
  const identified = { ...transaction, ...ids, early: [], nextquery: nextQueryAt(now, 0) };
  return hearEarly(quietly(identified), transaction.early, now, receipttaken);
}

/** What a query may decide: it has no receipt, and in its first minutes it may be wrong. */
export function hearStatus(
  transaction: Transaction,
  answer: StatusAnswer,
  now: Date,
  receipttaken = false,
): Decided {
  if (transaction.suspended || transaction.state === "completed") return forget(transaction);
  switch (answer.kind) {
    case "paid":
      return hearPaid(transaction, now, receipttaken);
    case "declined":
      return hearDeclined(transaction, answer.code, now);
    default:
      if (hasBeenTried(transaction, now)) return forget(transaction);
      return tick(transaction, now) ?? askAgain(transaction, now);
  }
}

function hearPaid(transaction: Transaction, now: Date, receipttaken: boolean): Decided {
  const { claimedreceipt } = transaction;
  if (claimedreceipt !== null) {
    // The query says that it is paid; a number that is another's only shows that the claim was false.
    const receiptnumber = receipttaken ? null : claimedreceipt;
    return settle(transaction, { trigger: "pay", reason: null, receiptnumber }, now);
  }
  // Its callback has come already, and was wrong.
  if (!isPending(transaction)) return settle(transaction, { trigger: "pay", reason: null }, now);
  const due = tick(transaction, now);
  if (due || transaction.paidsince !== null) return due;
  return quietly({ ...transaction, paidsince: now, nextquery: addMs(now, waits.callbackMs) });
}

function hearDeclined(transaction: Transaction, code: string, now: Date): Decided {
  if (!isPending(transaction)) return forget(transaction);
  // It has said "paid" before, and money that was seen does not vanish.
  if (transaction.paidsince !== null) return tick(transaction, now);
  const finalFrom = addMs(transaction.promptedat ?? transaction.calledat ?? now, waits.declineMs);
  if (now >= finalFrom) return settle(transaction, outcomeOf(code), now);
  const queries = transaction.queries + 1;
  return quietly({ ...transaction, queries, nextquery: finalFrom });
}

/** What time alone decides. */
export function tick(transaction: Transaction, now: Date): Decided {
  const { state, savedat, calledat, paidsince } = transaction;
  const passed = (since: Date | null, ms: number) => since !== null && now >= addMs(since, ms);
  if (transaction.suspended) return null;
  if (state === "saved") return passed(savedat, waits.savedMs) ? giveUp(transaction, now) : null;
  if (state !== "calling" && state !== "prompted") return null;
  if (passed(paidsince, waits.callbackMs)) {
    return settle(transaction, { trigger: "pay", reason: null }, now);
  }
  return passed(calledat, waits.unresolvedMs) ? giveUp(transaction, now) : null;
}

/** One that failed is not asked about for ever. */
function hasBeenTried(transaction: Transaction, now: Date): boolean {
  const { calledat, savedat } = transaction;
  return !isPending(transaction) && now >= addMs(calledat ?? savedat, waits.unresolvedMs);
}

/** Nobody needs to look at it any more. */
function forget(transaction: Transaction): Decided {
  if (transaction.nextquery === null) return null;
  const forgotten = { ...transaction, early: [], nextquery: null, claimedreceipt: null };
  return { ...quietly(forgotten), misfits: unprovenMoney(transaction) };
}
