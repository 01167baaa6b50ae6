import type { EventOf } from "@malipo/contracts";
import type { EventHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import type { Change } from "../../domain/lifecycle/change.ts";
import { applyInvoiceUpdates, updateFromEvent } from "../../domain/lifecycle/invoice-updates.ts";
import type { Subscription } from "../../domain/lifecycle/subscription.ts";
import type { SubscriptionChange } from "../../store/subscriptions.ts";

type InvoiceEvent = EventOf<"invoice.*">;

/** Saves the batch in one write. Subscriptions that another writer has changed are updated one by one. */
export const onInvoice =
  (deps: Deps): EventHandler<"invoice.*"> =>
  async (events) => {
    const { subscriptions, service } = deps;
    const now = service.clock();
    const eventsOf = Map.groupBy(
      events.filter(isRelevant),
      ({ inside }) => inside.issuedfor?.subscriptionid ?? "",
    );
    const changes = await Promise.all(
      [...eventsOf].map(async ([id, ofOne]) => prepareChange(deps, id, ofOne, now)),
    );
    const conflicts = await subscriptions.saveMany(changes.flatMap((change) => change ?? []));
    for (const id of conflicts) {
      const ofOne = eventsOf.get(id) ?? [];
      const businessid = ofOne[0]?.businessid ?? "";
      await subscriptions.updateWithRetry(businessid, id, now, (current) =>
        applyEvents(deps, current, ofOne, now),
      );
    }
    return [];
  };

/** Most invoices are created exactly as they were billed. Their event is not awaited and not needed. */
function isRelevant({ type, inside: { issuedfor } }: InvoiceEvent): boolean {
  return issuedfor !== null && (type !== "invoice.created" || issuedfor.awaited !== false);
}

/** Null if the events change nothing. */
async function prepareChange(
  deps: Deps,
  id: string,
  events: readonly InvoiceEvent[],
  now: Date,
): Promise<SubscriptionChange | null> {
  const before = await deps.subscriptions.find(events[0]?.businessid ?? "", id);
  const change = before && applyEvents(deps, before.entity, events, now);
  return change && { before, change, cause: { now } };
}

function applyEvents(
  { hours }: Deps,
  subscription: Subscription,
  events: readonly InvoiceEvent[],
  now: Date,
): Change | null {
  const at = new Date(events.at(-1)?.at ?? now);
  const updates = events.flatMap((event) => updateFromEvent(event) ?? []);
  return applyInvoiceUpdates(subscription, updates, at, { now, hours });
}
