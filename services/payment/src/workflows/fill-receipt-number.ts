import type { Deps } from "../deps.ts";
import type { Transaction } from "../domain/transaction/transaction.ts";

/**
 * Copies M-Pesa's receipt number from a completed payment to its receipt. A payment that was learnt by a
 * query has no number until its callback comes. Then the receipt may already exist without it, or may be
 * issued from the older event, so this runs after the callback and after the receipt is issued.
 */
export async function fillReceiptNumber(
  { receipts }: Pick<Deps, "receipts">,
  { id, state, momoreceiptnumber }: Transaction,
): Promise<void> {
  if (state !== "completed" || momoreceiptnumber === null) return;
  await receipts.fillReceiptNumber(id, momoreceiptnumber);
}
