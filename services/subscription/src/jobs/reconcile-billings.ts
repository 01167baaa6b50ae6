import { calls, type EventData } from "@malipo/contracts";
import { type Fault, ok, type Result } from "@malipo/core";
import { callService, type ReconciledEvent } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import {
  applyInvoiceUpdates,
  type InvoiceUpdate,
  toInvoiceUpdate,
} from "../domain/lifecycle/invoice-updates.ts";

interface Question {
  readonly now: Date;
  readonly deadline: Date;
}

/**
 * Finds the billed events whose invoices do not exist. The answer also describes the invoices that do
 * exist. It is applied as an update, in case their events were lost.
 */
export async function findUnissued(
  deps: Deps,
  billed: readonly ReconciledEvent[],
  { now, deadline }: Question,
): Promise<Result<ReadonlySet<string>, Fault>> {
  const bills = billed.map(({ businessid, event }) => ({ businessid, ...keyOf(event.data) }));
  const issued = await callService(deps.service, calls.findIssuedInvoices, {
    body: { bills },
    deadline,
  });
  if (!issued.ok) return issued;
  const missing = new Set<string>();
  const updates = new Map<string, { businessid: string; of: InvoiceUpdate[] }>();
  billed.forEach(({ event, businessid, recordid }, index) => {
    const invoice = issued.value.invoices[index];
    if (!invoice) {
      missing.add(event.id);
      return;
    }
    const known = updates.get(recordid) ?? { businessid, of: [] };
    known.of.push(toInvoiceUpdate({ ...invoice, key: keyOf(event.data), at: now }));
    updates.set(recordid, known);
  });
  const { subscriptions, hours } = deps;
  await Promise.all(
    [...updates].map(([id, { businessid, of }]) =>
      subscriptions.updateWithRetry(businessid, id, now, (subscription) =>
        applyInvoiceUpdates(subscription, of, now, { now, hours }),
      ),
    ),
  );
  return ok(missing);
}

function keyOf(data: unknown) {
  return (data as EventData<"subscription.billed">).key;
}
