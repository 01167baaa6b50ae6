import type { Cents } from "@malipo/core";

/*
 * The provider's answers in the words of the domain. The adapter of a provider translates into these types,
 * so the domain knows no result code of M-Pesa.
 */

/** Why a prompt ended without a payment. It is the public `reason` of the transaction. */
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
  /** The provider sent a result that we do not know. */
  | "other";

/** The result in a callback. `undecided` means that it has no result, or that M-Pesa still works on it. */
export type ReportedResult = "paid" | "undecided" | DeclineReason;

/** The provider's two ids of a prompt. A callback must have both. */
export interface ProviderIds {
  readonly checkoutrequestid: string;
  readonly merchantrequestid: string;
}

/** The answer to the request for a prompt. It never says how the payment ended. */
export type PromptAnswer =
  | ({ readonly kind: "accepted"; readonly description: string } & ProviderIds)
  /** Final: the provider would refuse the same request again. */
  | { readonly kind: "refused"; readonly code: string; readonly details: string }
  /** The request certainly reached no phone. It is safe to send it again. */
  | { readonly kind: "not sent"; readonly details: string }
  /** The request may have reached the phone. It must never be sent again. */
  | { readonly kind: "unknown"; readonly details: string };

/** The answer to a status query. */
export type StatusAnswer =
  | { readonly kind: "paid" }
  | { readonly kind: "declined"; readonly reason: DeclineReason }
  | { readonly kind: "pending" }
  /** The provider does not know the prompt, or gave no usable answer. */
  | { readonly kind: "unanswered"; readonly details: string };

/** The payment that a callback reports. */
export interface ReportedPayment extends ProviderIds {
  readonly amount: Cents | null;
  readonly receiptnumber: string | null;
}

/** The content of a callback about a prompt. */
export interface CallbackFacts extends ReportedPayment {
  readonly result: ReportedResult;
  /** The provider's own result code as it came: for the store and the log. Decisions use `result`. */
  readonly code: string;
}

/** How a prompt that was not paid ends its transaction. */
export function unpaidOutcome(reason: DeclineReason): {
  readonly trigger: "decline" | "cancel";
  readonly reason: DeclineReason;
} {
  return { trigger: reason === "cancelled_by_payer" ? "cancel" : "decline", reason };
}
