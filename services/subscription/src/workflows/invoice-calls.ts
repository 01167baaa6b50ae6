import { calls } from "@malipo/contracts";
import { err, type Fault, fault, ok, type Result } from "@malipo/core";
import { ask } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { newsOf } from "../domain/lifecycle/invoice-updates.ts";
import {
  agreeWith,
  identify,
  type InvoiceNews,
  isOpen,
  type Why,
} from "../domain/lifecycle/open-invoices.ts";
import type { Subscription } from "../domain/lifecycle/subscription.ts";

type Asker = Pick<Deps, "service">;

/** The whole truth of this moment about what of a subscription's invoices is open. */
export async function owedBy(
  { service }: Asker,
  { id, businessid }: Subscription,
  deadline: Date,
): Promise<Result<readonly InvoiceNews[], Fault>> {
  const body = { subscriptionid: id };
  const asked = await ask(service, calls.describeOwedBySubscription, {
    businessid,
    body,
    deadline,
  });
  if (!asked.ok) return asked;
  const at = service.clock();
  return ok(
    asked.value.invoices.flatMap(({ invoiceid, issuedfor, ...invoice }) =>
      issuedfor ? newsOf({ _id: invoiceid, seq: 0, key: issuedfor, at, ...invoice }) : [],
    ),
  );
}

/**
 * With the ids of open invoices of which no word was heard; as it is when there are none. While an
 * expiry cancels them nothing is heard, what was lost is never heard, and neither is owed any more.
 */
export async function identifyIssued(
  { service }: Asker,
  subscription: Subscription,
  deadline: Date,
): Promise<Result<Subscription, Fault>> {
  const { businessid, id } = subscription;
  const unknown = subscription.invoices.filter((one) => isOpen(one) && one.invoiceid === null);
  if (unknown.length === 0) return ok(subscription);
  const bills = unknown.map(({ why, of }) => ({ businessid, subscriptionid: id, why, of }));
  const asked = await ask(service, calls.findIssuedInvoices, { body: { bills }, deadline });
  if (!asked.ok) return asked;
  let { invoices } = subscription;
  for (const [index, found] of asked.value.invoices.entries()) {
    const one = unknown[index];
    if (one && found) invoices = identify(invoices, one, found._id);
  }
  return ok(invoices === subscription.invoices ? subscription : { ...subscription, invoices });
}

/** Cancels what is open; null when nothing is left, else why something is: it is paid or being paid. */
export async function cancelOpen(
  { service }: Asker,
  subscription: Subscription,
  isMeant: (why: Why) => boolean,
  deadline: Date,
): Promise<Result<{ refused: string | null }, Fault>> {
  const { businessid } = subscription;
  const owed = await owedBy({ service }, subscription, deadline);
  if (!owed.ok) return owed;
  const present = agreeWith(subscription.invoices, owed.value);
  const open = [present, subscription.invoices].map((invoices) =>
    invoices.filter((invoice) => isOpen(invoice) && isMeant(invoice.why)),
  );
  // Cancelled before it is issued, it would be issued all the same.
  if (open[0]?.some(({ invoiceid }) => invoiceid === null)) return err(notIssued);
  let refused: string | null = null;
  // Also those that were open when it began: one that was paid since then refuses.
  for (const invoiceid of new Set(open.flat().flatMap(({ invoiceid: id }) => id ?? []))) {
    const body = { invoiceid };
    const asked = await ask(service, calls.cancelInvoice, { businessid, body, deadline });
    if (!asked.ok && asked.error.code !== "conflict") return asked;
    if (!asked.ok) refused = asked.error.text;
  }
  return ok({ refused });
}

/** It was billed, and its invoice will come; until then nothing is held against the customer. */
export const notIssued = fault("service_unavailable", { detail: "an invoice is not issued yet" });
