import { coveredByCredit, promptAmountRange } from "@malipo/contracts";
import { type Fault, type Result, secondMs } from "@malipo/core";
import type { OpenInvoice } from "../lifecycle/open-invoices.ts";
import type { Subscription } from "../lifecycle/subscription.ts";
import {
  awaitOutcome,
  claimPrompt,
  endPrompts,
  failPrompt,
  postponePrompt,
  type PromptHours,
  releaseClaim,
} from "./prompt-schedule.ts";

/** The answer of the invoice service about an invoice to prompt. Amounts are in shillings. */
export interface Payable {
  readonly invoiceid: string;
  readonly payable: boolean;
  readonly reason: string | null;
  readonly owed: number;
  /** The amount that other live prompts have reserved. */
  readonly reserved: number;
  readonly customer: { readonly phone: string | null };
}

/** Whole shillings, within the limits of one prompt. */
export function promptAmount(owed: number): number {
  return Math.max(promptAmountRange.min, Math.min(promptAmountRange.max, Math.ceil(owed)));
}

/**
 * Decides before the request. A prompt that is claimed already is requested again in any case, as
 * long as the customer has a phone, because its first request may have reached payment.
 */
export function prepareRequest(
  subscription: Subscription,
  due: OpenInvoice,
  { payable, reason, reserved, customer }: Payable,
  now: Date,
  hours: PromptHours,
): Subscription {
  const { claimed, transactionid } = due.prompting;
  // Credit that is not applied after all must not leave the invoice without prompts.
  if (!claimed && reason === coveredByCredit) {
    return postponePrompt(subscription, due, now, hours);
  }
  if (!claimed && !payable) {
    return endPrompts(subscription, due, reason ?? "it is not payable", now);
  }
  if (!transactionid && customer.phone === null) {
    return endPrompts(subscription, due, "the customer has no phone", now);
  }
  if (!claimed && reserved > 0) return postponePrompt(subscription, due, now, hours);
  return claimPrompt(subscription, due, now, hours);
}

/**
 * Decides after the request. Null if the answer does not say what happened: the same operation is
 * then requested again in a minute.
 */
export function applyAnswer(
  subscription: Subscription,
  invoice: OpenInvoice,
  answer: Result<{ readonly transactionid: string }, Fault>,
  now: Date,
  hours: PromptHours,
): Subscription | null {
  if (answer.ok) return awaitOutcome(subscription, invoice, answer.value.transactionid, now);
  const { code, transactionid, text, retryAfterSeconds = 0 } = answer.error;
  switch (code) {
    case "phone_resting":
      return releaseClaim(subscription, invoice, now, hours, retryAfterSeconds * secondMs);
    case "conflict":
      // The transaction of this operation has failed unsent, so the operation never sends a prompt.
      if (transactionid) return failPrompt(subscription, invoice, "not_sent", now, hours);
      return releaseClaim(subscription, invoice, now, hours);
    case "phone_busy":
      return releaseClaim(subscription, invoice, now, hours);
    case "outcome_unknown":
      return transactionid ? awaitOutcome(subscription, invoice, transactionid, now) : null;
    case "payment_method_not_configured":
    case "provider_refused":
      return failPrompt(subscription, invoice, text, now, hours);
    case "not_found":
      return endPrompts(subscription, invoice, text, now);
    default:
      return null;
  }
}
