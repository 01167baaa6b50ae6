import { calls } from "@malipo/contracts";
import { err, type Fault, fault, ok, type Result } from "@malipo/core";
import { callService } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import {
  type InvoiceUpdate,
  replaceOpenInvoices,
  toInvoiceUpdate,
} from "../domain/lifecycle/invoice-updates.ts";
import {
  identifyInvoice,
  isOpen,
  type OpenInvoice,
  type Why,
} from "../domain/lifecycle/open-invoices.ts";
import type { Subscription } from "../domain/lifecycle/subscription.ts";

type Caller = Pick<Deps, "service">;

/** The invoice service has not issued a billed invoice yet, so its customer cannot owe it. */
export const notIssued = fault("service_unavailable", { logText: "an invoice is not issued yet" });

/** All open invoices of a subscription, as the invoice service knows them now. */
export async function fetchOwed(
  { service }: Caller,
  { id, businessid }: Subscription,
  deadline: Date,
): Promise<Result<readonly InvoiceUpdate[], Fault>> {
  const body = { subscriptionid: id };
  const owed = await callService(service, calls.describeOwedBySubscription, {
    businessid,
    body,
    deadline,
  });
  if (!owed.ok) return owed;
  const at = service.clock();
  return ok(
    owed.value.invoices.flatMap(({ invoiceid, issuedfor, ...invoice }) =>
      issuedfor ? toInvoiceUpdate({ _id: invoiceid, seq: 0, key: issuedfor, at, ...invoice }) : [],
    ),
  );
}

/**
 * Adds the ids of open invoices whose events have not arrived. Returns the same subscription if there
 * are none. During an expiry updates are ignored, a lost event never arrives, and the list of owed
 * invoices has neither, so the ids are asked for by key.
 */
export async function identifyIssued(
  { service }: Caller,
  subscription: Subscription,
  deadline: Date,
): Promise<Result<Subscription, Fault>> {
  const { businessid, id } = subscription;
  const unknown = subscription.invoices.filter((each) => isOpen(each) && each.invoiceid === null);
  if (unknown.length === 0) return ok(subscription);
  const bills = unknown.map(({ why, of }) => ({ businessid, subscriptionid: id, why, of }));
  const issued = await callService(service, calls.findIssuedInvoices, {
    body: { bills },
    deadline,
  });
  if (!issued.ok) return issued;
  let { invoices } = subscription;
  for (const [index, found] of issued.value.invoices.entries()) {
    const invoice = unknown[index];
    if (invoice && found) invoices = identifyInvoice(invoices, invoice, found._id);
  }
  return ok(invoices === subscription.invoices ? subscription : { ...subscription, invoices });
}

/**
 * Cancels the open invoices that are issued for one of the given reasons. `refused` says why one could
 * not be cancelled: it is paid or being paid. Null if all are cancelled.
 */
export async function cancelOpen(
  { service }: Caller,
  subscription: Subscription,
  reasons: readonly Why[],
  deadline: Date,
): Promise<Result<{ refused: string | null }, Fault>> {
  const { businessid } = subscription;
  const owed = await fetchOwed({ service }, subscription, deadline);
  if (!owed.ok) return owed;
  const toCancel = (invoices: readonly OpenInvoice[]) =>
    invoices.filter((invoice) => isOpen(invoice) && reasons.includes(invoice.why));
  const open = toCancel(replaceOpenInvoices(subscription.invoices, owed.value));
  // A cancellation that arrives before the invoice is issued would have no effect.
  if (open.some(({ invoiceid }) => invoiceid === null)) return err(notIssued);
  // The invoices that were open before are cancelled too: one that was paid since then refuses.
  const all = [...open, ...toCancel(subscription.invoices)];
  let refused: string | null = null;
  for (const invoiceid of new Set(all.flatMap((invoice) => invoice.invoiceid ?? []))) {
    const body = { invoiceid };
    const cancelled = await callService(service, calls.cancelInvoice, {
      businessid,
      body,
      deadline,
    });
    if (!cancelled.ok && cancelled.error.code !== "conflict") return cancelled;
    if (!cancelled.ok) refused = cancelled.error.text;
  }
  return ok({ refused });
}
