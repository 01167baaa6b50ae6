import type { DeclineReason, ReportedResult } from "../../domain/transaction/outcome.ts";

/** Result codes of prompts that were not paid. They are compared as text: one of them is no number. */
const declines: Readonly<Record<string, DeclineReason>> = {
  "1": "insufficient_funds",
  "2": "below_minimum",
  "3": "above_maximum",
  "4": "daily_limit",
  "8": "receiver_limit",
  "17": "duplicate_request",
  "26": "provider_busy",
  "1001": "phone_busy",
  "1019": "expired",
  "1025": "not_delivered",
  "1032": "cancelled_by_payer",
  "1036": "not_delivered",
  "1037": "unreachable",
  "1101": "not_delivered",
  "2001": "wrong_pin",
  "2028": "misconfigured",
  "8006": "pin_locked",
  "9999": "not_delivered",
  SFC_IC0003: "misconfigured",
};

const paidCode = "0";
/** Undocumented: M-Pesa still processes the payment. */
const stillProcessingCode = "4999";

/** Translates a result code. A code that is not known gives `other`; no code decides nothing. */
export function readResultCode(code: string): ReportedResult {
  if (code === paidCode) return "paid";
  if (code === "" || code === stillProcessingCode) return "undecided";
  return (Object.hasOwn(declines, code) && declines[code]) || "other";
}

/** The `ResponseCode` of an accepted request for a prompt. */
export const acceptedCode = "0";

/** Texts for the other values of `ResponseCode`. */
const refusals: Readonly<Record<string, string>> = {
  "1": "insufficient balance",
  "2": "less than minimum amount",
  "3": "more than maximum amount",
  "4": "would exceed daily limit",
  "5": "would exceed minimum balance",
  "6": "unresolved primary party",
  "7": "unresolved receiver party",
  "8": "would exceed maximum balance",
  "11": "debit party name mismatch",
  "12": "credit party name mismatch",
};

export function refusalText(code: string): string {
  return refusals[code] ?? "request rejected";
}
