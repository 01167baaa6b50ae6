/** Why a payment did not come about, in words that programs can tell apart. */
export type DeclineReason =
  | "insufficient_funds"
  | "below_minimum"
  | "above_maximum"
  | "daily_limit"
  | "receiver_limit"
  | "duplicate_request"
  | "provider_busy"
  | "phone_busy"
  | "expired"
  | "not_delivered"
  | "cancelled_by_payer"
  | "unreachable"
  | "wrong_pin"
  | "pin_locked"
  | "misconfigured"
  | "other";

/** How a prompt ended, by the result code. Codes are compared as text: one of them is no number. */
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

/** Under processing: undocumented, and no outcome. */
export const stillProcessingCode = "4999";
export const paidCode = "0";

export function declineOf(code: string): DeclineReason {
  return isKnownDecline(code) ? (declines[code] ?? "other") : "other";
}

export function isKnownDecline(code: string): boolean {
  return Object.hasOwn(declines, code);
}

export function isKnownResult(code: string): boolean {
  return code === paidCode || code === stillProcessingCode || isKnownDecline(code);
}

/** What the answer to a request for a prompt says when it is not "0". */
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
