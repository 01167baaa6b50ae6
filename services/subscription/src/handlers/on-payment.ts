import type { EventOf } from "@malipo/contracts";
import { type EventHandler, type Saved, updateRecord } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { failPrompt, promptedBy, succeedPrompt } from "../domain/dunning/prompt-schedule.ts";
import type { Subscription } from "../domain/lifecycle/subscription.ts";

type PaymentEvent = EventOf<"payment.*">;

/** What became of a prompt decides when the customer is asked again. */
export const onPayment =
  (deps: Deps): EventHandler<"payment.*"> =>
  async (events) => {
    const outcomes = events.filter(
      ({ type, inside }) => type !== "payment.initiated" && inside.subscriptionid !== null,
    );
    for (const event of outcomes) await hear(deps, event);
    return [];
  };

async function hear({ subscriptions, service, hours }: Deps, event: PaymentEvent): Promise<void> {
  const { businessid, inside, data, type } = event;
  const now = service.clock();
  await updateRecord<Saved<Subscription>, Subscription>({
    find: async () => subscriptions.find(businessid, inside.subscriptionid ?? ""),
    decide: ({ entity }) => {
      const invoice = promptedBy(entity, data.transactionid);
      if (!invoice || invoice.invoiceid !== inside.invoiceid) return null;
      return type === "payment.completed"
        ? succeedPrompt(entity, invoice, now, hours)
        : failPrompt(entity, invoice, data.reason ?? "other", now, hours);
    },
    save: async (found, entity) => subscriptions.save(found, { entity, events: [] }, { now }),
    onConflict: "retry",
  });
}
