import { calls } from "@malipo/contracts";
import { err, type Fault, type Result } from "@malipo/core";
import { callService } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import {
  applyAnswer,
  type Payable,
  prepareRequest,
  promptAmount,
} from "../domain/dunning/prompt-request.ts";
import { findDuePrompt } from "../domain/dunning/prompt-schedule.ts";
import { unchanged } from "../domain/lifecycle/change.ts";
import { identifyInvoice, keyOf, type OpenInvoice } from "../domain/lifecycle/open-invoices.ts";
import type { Subscription } from "../domain/lifecycle/subscription.ts";
import type { StoredSubscription } from "../store/subscriptions.ts";
import { notIssued } from "./invoice-calls.ts";

/** Prompts the customer's phone if a prompt is due. The claim is saved before payment is asked. */
export async function sendDuePrompt(
  deps: Deps,
  saved: StoredSubscription,
  now: Date,
  deadline: Date,
): Promise<Fault | null> {
  const { service, subscriptions, hours } = deps;
  const { businessid, id, subscriptionno } = saved.entity;
  const due = findDuePrompt(saved.entity, now);
  if (!due) return null;
  const payable = await fetchPayable(service, saved.entity, due, deadline);
  if (!payable.ok) return payable.error;
  const { invoiceid, owed, customer } = payable.value;
  const invoices = identifyInvoice(saved.entity.invoices, due, invoiceid);
  const prepared = prepareRequest({ ...saved.entity, invoices }, due, payable.value, now, hours);
  await subscriptions.save(saved, unchanged(prepared), { now });
  const prompting = findInvoice(prepared, due)?.prompting;
  if (!prompting?.claimed || customer.phone === null) return null;
  const answer = await callService(service, calls.promptPayment, {
    businessid,
    operationid: `${invoiceid}:${prompting.attempt}`,
    body: {
      invoiceid,
      phone: customer.phone,
      amount: promptAmount(owed),
      referenceid: subscriptionno,
    },
    deadline,
  });
  await subscriptions.updateWithRetry(businessid, id, now, (current) => {
    const invoice = findInvoice(current, due);
    // The event with the outcome can arrive before the answer to the request.
    const isStillClaimed =
      invoice?.prompting.attempt === prompting.attempt && invoice.prompting.claimed;
    const answered = isStillClaimed && applyAnswer(current, invoice, answer, now, hours);
    return answered ? unchanged(answered) : null;
  });
  return null;
}

/** Finds the invoice by its key if the event that it was created has not arrived. */
async function fetchPayable(
  service: Deps["service"],
  { businessid, id }: Subscription,
  { invoiceid, why, of }: OpenInvoice,
  deadline: Date,
): Promise<Result<Payable, Fault>> {
  const body = invoiceid === null ? { key: { subscriptionid: id, why, of } } : { invoiceid };
  const payable = await callService(service, calls.describePayable, { businessid, body, deadline });
  const isNotIssued = !payable.ok && payable.error.code === "not_found" && invoiceid === null;
  return isNotIssued ? err(notIssued) : payable;
}

function findInvoice({ invoices }: Subscription, wanted: OpenInvoice): OpenInvoice | undefined {
  return invoices.find((invoice) => keyOf(invoice) === keyOf(wanted));
}
