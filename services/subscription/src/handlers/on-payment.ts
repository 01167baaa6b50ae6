import type { EventOf } from "@malipo/contracts";
import { type EventHandler, VersionConflict } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { failPrompt, promptedBy, succeedPrompt } from "../domain/dunning/prompt-schedule.ts";

type PaymentEvent = EventOf<"payment.*">;

const triesMax = 100;

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

async function hear(deps: Deps, event: PaymentEvent): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await take(deps, event);
      return;
    } catch (error) {
      if (!(error instanceof VersionConflict) || tries === triesMax) throw error;
    }
  }
}

async function take({ subscriptions, service, hours }: Deps, event: PaymentEvent): Promise<void> {
  const { businessid, inside, data, type } = event;
  const found = await subscriptions.find(businessid, inside.subscriptionid ?? "");
  const invoice = found && promptedBy(found.entity, data.transactionid);
  if (!invoice || invoice.invoiceid !== inside.invoiceid) return;
  const now = service.clock();
  const entity =
    type === "payment.completed"
      ? succeedPrompt(found.entity, invoice, now, hours)
      : failPrompt(found.entity, invoice, data.reason ?? "other", now, hours);
  await subscriptions.save(found, { entity, events: [] }, { now });
}
