import type { EventOf } from "@malipo/contracts";
import type { EventHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { failPrompt, findPromptedBy, succeedPrompt } from "../../domain/dunning/prompt-schedule.ts";
import { unchanged } from "../../domain/lifecycle/change.ts";

/** The outcome of a prompt decides when the customer is prompted again. */
export const onPayment =
  (deps: Deps): EventHandler<"payment.*"> =>
  async (events) => {
    const outcomes = events.filter(
      ({ type, inside }) => type !== "payment.initiated" && inside.subscriptionid !== null,
    );
    for (const event of outcomes) await applyOutcome(deps, event);
    return [];
  };

async function applyOutcome(
  { subscriptions, service, hours }: Deps,
  { businessid, inside, data, type }: EventOf<"payment.*">,
): Promise<void> {
  const now = service.clock();
  await subscriptions.updateWithRetry(businessid, inside.subscriptionid ?? "", now, (current) => {
    const invoice = findPromptedBy(current, data.transactionid);
    if (!invoice || invoice.invoiceid !== inside.invoiceid) return null;
    return unchanged(
      type === "payment.completed"
        ? succeedPrompt(current, invoice, now, hours)
        : failPrompt(current, invoice, data.reason ?? "other", now, hours),
    );
  });
}
