import { calls, promptAmountRange } from "@malipo/contracts";
import { err, type Fault, type Result } from "@malipo/core";
import { ask, type Saved } from "@malipo/platform";
import { notIssued } from "./invoice-calls.ts";
import type { Deps } from "../deps.ts";
import {
  awaitOutcome,
  claimPrompt,
  duePrompt,
  endPrompts,
  failPrompt,
  putOffPrompt,
  waitTurn,
} from "../domain/dunning/prompt-schedule.ts";
import { identify, keyOf, type OpenInvoice } from "../domain/lifecycle/open-invoices.ts";
import type { PromptHours } from "../domain/dunning/prompt-hours.ts";
import type { Subscription } from "../domain/lifecycle/subscription.ts";

interface Payable {
  readonly invoiceid: string;
  readonly payable: boolean;
  readonly reason: string | null;
  readonly owed: number;
  readonly reserved: number;
  readonly customer: { readonly phone: string | null };
}

/** Asks the customer's phone to pay, if that is due: claimed first, so that it is one prompt at most. */
export async function promptIfDue(
  deps: Deps,
  saved: Saved<Subscription>,
  now: Date,
  deadline: Date,
): Promise<Fault | null> {
  const { service, subscriptions, hours } = deps;
  const { businessid, id } = saved.entity;
  const due = duePrompt(saved.entity, now);
  if (!due) return null;
  const asked = await describe(service, saved.entity, due, deadline);
  if (!asked.ok) return asked.error;
  const { invoiceid } = asked.value;
  const named = { ...saved.entity, invoices: identify(saved.entity.invoices, due, invoiceid) };
  const claimed = claim(named, due, asked.value, now, hours);
  await subscriptions.save(saved, { entity: claimed, events: [] }, { now });
  const prompting = invoiceOf(claimed, due)?.prompting;
  const { phone } = asked.value.customer;
  if (!prompting?.claimed || phone === null) return null;
  const prompted = await ask(service, calls.promptPayment, {
    businessid,
    operationid: `${invoiceid}:${prompting.attempt}`,
    body: {
      invoiceid,
      phone,
      amount: amountFor(asked.value.owed),
      referenceid: saved.entity.subscriptionno,
    },
    deadline,
  });
  const present = await subscriptions.find(businessid, id);
  const invoice = present && invoiceOf(present.entity, due);
  // Its outcome may have been faster than the answer to its request.
  if (!present || invoice?.prompting.attempt !== prompting.attempt || !invoice.prompting.claimed) {
    return null;
  }
  const entity = judge(present.entity, invoice, prompted, now, hours);
  if (entity) await subscriptions.save(present, { entity, events: [] }, { now });
  return null;
}

/** One that was billed while phones rested may not have been heard of since. */
async function describe(
  service: Deps["service"],
  { businessid, id }: Subscription,
  { invoiceid, why, of }: OpenInvoice,
  deadline: Date,
): Promise<Result<Payable, Fault>> {
  const body = invoiceid === null ? { key: { subscriptionid: id, why, of } } : { invoiceid };
  const asked = await ask(service, calls.describePayable, { businessid, body, deadline });
  const isAwaited = !asked.ok && asked.error.code === "not_found" && invoiceid === null;
  return isAwaited ? err(notIssued) : asked;
}

function invoiceOf({ invoices }: Subscription, wanted: OpenInvoice): OpenInvoice | undefined {
  return invoices.find((invoice) => keyOf(invoice) === keyOf(wanted));
}

/** What is owed in whole shillings, as far as one prompt may ask for it. */
function amountFor(owed: number): number {
  return Math.max(promptAmountRange.min, Math.min(promptAmountRange.max, Math.ceil(owed)));
}

/** What was claimed is asked for again, whatever else is known by now, as long as there is a phone to ask. */
export function claim(
  subscription: Subscription,
  due: OpenInvoice,
  { payable, reason, reserved, customer }: Payable,
  now: Date,
  hours: PromptHours,
): Subscription {
  const { claimed, transactionid } = due.prompting;
  if (!claimed && !payable) {
    return endPrompts(subscription, due, reason ?? "it is not payable", now);
  }
  if (!transactionid && customer.phone === null) {
    return endPrompts(subscription, due, "the customer has no phone", now);
  }
  if (!claimed && reserved > 0) return putOffPrompt(subscription, due, now, hours);
  return claimPrompt(subscription, due, now, hours);
}

/** Null when nothing is known: the same is asked again in a minute, under the same operation. */
function judge(
  subscription: Subscription,
  invoice: OpenInvoice,
  prompted: Result<{ readonly transactionid: string }, Fault>,
  now: Date,
  hours: PromptHours,
): Subscription | null {
  if (prompted.ok) return awaitOutcome(subscription, invoice, prompted.value.transactionid, now);
  const { code, transactionid, text } = prompted.error;
  switch (code) {
    case "phone_busy":
    case "conflict":
      return waitTurn(subscription, invoice, now, hours);
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
