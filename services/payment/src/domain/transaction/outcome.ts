import { declineOf } from "../../providers/daraja/result-codes.ts";

/** What a result that is not a payment makes of the transaction. */
export function outcomeOf(code: string): { trigger: "decline" | "cancel"; reason: string } {
  const reason = declineOf(code);
  return { trigger: reason === "cancelled_by_payer" ? "cancel" : "decline", reason };
}
