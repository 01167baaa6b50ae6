import { calls, type EventData } from "@malipo/contracts";
import { type Fault, ok, type Result } from "@malipo/core";
import { ask, type Saved, type Told, updateRecord } from "@malipo/platform";
import type { Change } from "../domain/lifecycle/change.ts";
import type { Deps } from "../deps.ts";
import { hearInvoices } from "../workflows/apply-invoice-updates.ts";
import { newsOf } from "../domain/lifecycle/invoice-updates.ts";
import type { InvoiceNews } from "../domain/lifecycle/open-invoices.ts";
import type { Subscription } from "../domain/lifecycle/subscription.ts";

interface Asking {
  readonly now: Date;
  readonly deadline: Date;
}

/** Which of these bills have no invoice. What is said of the others is heard, should their events be lost. */
export async function unissuedAmong(
  deps: Deps,
  told: readonly Told[],
  { now, deadline }: Asking,
): Promise<Result<ReadonlySet<string>, Fault>> {
  const bills = told.map(({ businessid, event }) => ({ businessid, ...keyOf(event.data) }));
  const asked = await ask(deps.service, calls.findIssuedInvoices, { body: { bills }, deadline });
  if (!asked.ok) return asked;
  const missing = new Set<string>();
  const news = new Map<string, { businessid: string; of: InvoiceNews[] }>();
  told.forEach(({ event, businessid, recordid }, index) => {
    const invoice = asked.value.invoices[index];
    if (!invoice) {
      missing.add(event.id);
      return;
    }
    const known = news.get(recordid) ?? { businessid, of: [] };
    known.of.push(newsOf({ ...invoice, key: keyOf(event.data), at: now }));
    news.set(recordid, known);
  });
  await Promise.all(
    [...news].map(([id, { businessid, of }]) => hear(deps, businessid, id, of, now)),
  );
  return ok(missing);
}

function keyOf(data: unknown) {
  return (data as EventData<"subscription.billed">).key;
}

async function hear(
  { subscriptions, hours }: Deps,
  businessid: string,
  id: string,
  news: readonly InvoiceNews[],
  now: Date,
): Promise<void> {
  await updateRecord<Saved<Subscription>, Change>({
    find: async () => subscriptions.find(businessid, id),
    decide: ({ entity }) => hearInvoices(entity, news, now, { now, hours }),
    save: async (found, change) => subscriptions.save(found, change, { now }),
    // The subscription is still to be reconciled, so the next run applies the invoices.
    onConflict: "skip",
  });
}
