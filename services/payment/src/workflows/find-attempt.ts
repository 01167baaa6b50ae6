import type { AttemptView } from "@malipo/contracts";
import { addMs, centsToShillings, maskPhone, secondMs } from "@malipo/core";
import type { Deps } from "../deps.ts";
import type { Receipt } from "../domain/receipt.ts";
import { timeouts } from "../domain/transaction/schedule.ts";
import type { Transaction } from "../domain/transaction/transaction.ts";
import type { Bill } from "./find-bill.ts";

/** The provider has this long to answer. After that the page does not know whether the phone rings. */
const callingMs = 30 * secondMs;
/** A prompt is called right after its transaction is stored, unless a process died in between. */
const unsentMs = 10 * secondMs;

/** Finds the payment that the page asked for with this attempt; null if this link has none. */
export async function findAttempt(
  { transactions, receipts, service }: Deps,
  { businessid, linkid, purpose }: Pick<Bill, "businessid" | "linkid" | "purpose">,
  attempt: string,
): Promise<AttemptView | null> {
  const found = await transactions.findByOperation(businessid, attempt);
  if (!found) return null;
  const { entity } = found;
  // A subscription's link moves on to the next invoice, while the payment stays with its own.
  const isOfSubscription =
    purpose.subscriptionid !== null && entity.subscriptionid === purpose.subscriptionid;
  if (entity.paymentlinkid !== linkid && !isOfSubscription) return null;
  const receipt = entity.state === "completed" ? await receipts.find(businessid, entity.id) : null;
  return viewAttempt(entity, receipt?.entity ?? null, service.clock());
}

function viewAttempt(transaction: Transaction, receipt: Receipt | null, now: Date): AttemptView {
  const { amount, phone, reason, promptedat } = transaction;
  const leftMs = promptedat ? addMs(promptedat, timeouts.promptMs).getTime() - now.getTime() : 0;
  return {
    state: pageState(transaction, leftMs > 0, now),
    secondsleft: Math.max(0, Math.ceil(leftMs / secondMs)),
    reason,
    amount: centsToShillings(amount),
    phone: maskPhone(phone),
    receipt: receipt && {
      receiptno: receipt.receiptno,
      momoreceiptnumber: receipt.momoreceiptnumber,
      path: `/r/${receipt.code}`,
    },
  };
}

function pageState(
  { state, unsentsince, calledat }: Transaction,
  isPromptOpen: boolean,
  now: Date,
): AttemptView["state"] {
  const isWithin = (since: Date | null, ms: number) => since !== null && now < addMs(since, ms);
  switch (state) {
    case "unsent":
      return isWithin(unsentsince, unsentMs) ? "sending" : "unsent";
    case "calling":
      return isWithin(calledat, callingMs) ? "sending" : "checking";
    case "prompted":
      return isPromptOpen ? "prompted" : "checking";
    case "completed":
      return "paid";
    default:
      return "notpaid";
  }
}
