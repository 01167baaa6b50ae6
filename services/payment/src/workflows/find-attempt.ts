import type { AttemptView } from "@malipo/contracts";
import { addMs, formatShillings, maskPhone, secondMs } from "@malipo/core";
import type { Deps } from "../deps.ts";
import type { Receipt } from "../domain/receipt.ts";
import { waits } from "../domain/transaction/schedule.ts";
import type { Bill } from "./find-bill.ts";
import type { Transaction } from "../domain/transaction/transaction.ts";

/** What the provider is given to answer; beyond it nobody knows whether the phone rings. */
const callingMs = 30 * secondMs;
/** Between saving and calling there is next to nothing, unless somebody has died there. */
const savedMs = 10 * secondMs;

/** A payment as the page that asked for it shows it. */
function viewAttempt(transaction: Transaction, receipt: Receipt | null, now: Date): AttemptView {
  const { amount, phone, reason, promptedat } = transaction;
  const left = promptedat ? addMs(promptedat, waits.promptMs).getTime() - now.getTime() : 0;
  return {
    state: stateOf(transaction, left > 0, now),
    secondsleft: Math.max(0, Math.ceil(left / secondMs)),
    reason,
    amount: formatShillings(amount),
    phone: maskPhone(phone),
    receipt: receipt && {
      receiptno: receipt.receiptno,
      momoreceiptnumber: receipt.momoreceiptnumber,
      path: `/r/${receipt.code}`,
    },
  };
}

function stateOf(
  { state, savedat, calledat }: Transaction,
  promptIsOpen: boolean,
  now: Date,
): AttemptView["state"] {
  const within = (since: Date | null, ms: number) => since !== null && now < addMs(since, ms);
  switch (state) {
    case "saved":
      return within(savedat, savedMs) ? "sending" : "unsent";
    case "calling":
      return within(calledat, callingMs) ? "sending" : "checking";
    case "prompted":
      return promptIsOpen ? "prompted" : "checking";
    case "completed":
      return "paid";
    default:
      return "notpaid";
  }
}

/** The payment that an attempt has made by this link; null if there is none. */
export async function findAttempt(
  { transactions, receipts, service }: Deps,
  { businessid, linkid, purpose }: Pick<Bill, "businessid" | "linkid" | "purpose">,
  attempt: string,
): Promise<AttemptView | null> {
  const made = await transactions.madeBy(businessid, attempt);
  if (!made) return null;
  const { entity } = made;
  // A subscription's link goes on to its next invoice, and this payment has stayed with its own.
  const isSame =
    purpose.subscriptionid !== null && entity.subscriptionid === purpose.subscriptionid;
  if (entity.paymentlinkid !== linkid && !isSame) return null;
  const receipt = entity.state === "completed" ? await receipts.find(businessid, entity.id) : null;
  return viewAttempt(entity, receipt?.entity ?? null, service.clock());
}
