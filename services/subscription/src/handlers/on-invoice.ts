import type { EventOf } from "@malipo/contracts";
import { type Changed, type EventHandler, type Saved, updateRecord } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { hearInvoices } from "../workflows/apply-invoice-updates.ts";
import { newsIn } from "../domain/lifecycle/invoice-updates.ts";
import type { Subscription } from "../domain/lifecycle/subscription.ts";

type InvoiceEvent = EventOf<"invoice.*">;

/** In one write for the whole batch; whoever was changed meanwhile is told again, one by one. */
export const onInvoice =
  (deps: Deps): EventHandler<"invoice.*"> =>
  async (events) => {
    const { subscriptions } = deps;
    const ofOne = Map.groupBy(
      events.filter(mayTellSomething),
      ({ inside }) => inside.issuedfor?.subscriptionid ?? "",
    );
    const heard = await Promise.all([...ofOne.values()].map(async (news) => hear(deps, news)));
    const missed = await subscriptions.saveMany(heard.flatMap((changed) => changed ?? []));
    for (const id of missed) await hearAlone(deps, ofOne.get(id) ?? []);
    return [];
  };

/** Most invoices are created as they were billed, and nobody waits for them. */
function mayTellSomething({ type, inside: { issuedfor } }: InvoiceEvent): boolean {
  return issuedfor !== null && (type !== "invoice.created" || issuedfor.awaited !== false);
}

/** Null when it changes nothing. */
async function hear(
  { subscriptions, service, hours }: Deps,
  events: readonly InvoiceEvent[],
): Promise<Changed<Subscription> | null> {
  const [first] = events;
  const id = first?.inside.issuedfor?.subscriptionid;
  const before: Saved<Subscription> | null =
    first && id ? await subscriptions.find(first.businessid, id) : null;
  if (!before) return null;
  const now = service.clock();
  const at = new Date(events.at(-1)?.at ?? now);
  const news = events.flatMap((event) => newsIn(event) ?? []);
  const change = hearInvoices(before.entity, news, at, { now, hours });
  return change && { before, change, cause: { now } };
}

async function hearAlone(deps: Deps, events: readonly InvoiceEvent[]): Promise<void> {
  await updateRecord<Changed<Subscription>, Changed<Subscription>>({
    find: async () => hear(deps, events),
    decide: (changed) => changed,
    save: async ({ before, change, cause }) => deps.subscriptions.save(before, change, cause),
    onConflict: "retry",
  });
}
