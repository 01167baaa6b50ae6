import { advance } from "./advance.ts";
import type { Look } from "./change.ts";
import { type InvoiceNews, isOpen } from "./open-invoices.ts";
import type { Subscription } from "./subscription.ts";

export interface Preview {
  readonly becomes: Subscription["status"];
  /** The starts of the periods that would be billed or offered. */
  readonly periods: readonly Date[];
}

/** Far more than anybody looks ahead. */
const stepsMax = 12;

/** What would be billed until a moment if nothing else happens: nobody pays, nobody pauses. */
export function previewBilling(subscription: Subscription, look: Look): Preview {
  let entity = subscription;
  const periods: Date[] = [];
  for (let steps = 0; steps < stepsMax; steps += 1) {
    const step = advance(entity, { ...look, owed: asKnown(entity) });
    for (const event of step.events) {
      if (event.type === "subscription.billed") periods.push(new Date(event.data.key.of));
    }
    entity = step.entity;
    if (step.want === "cancellation") return { becomes: "expired", periods };
    if (step.want !== "another-step") break;
  }
  return { becomes: entity.status, periods };
}

function asKnown({ invoices }: Subscription): InvoiceNews[] {
  return invoices
    .filter(isOpen)
    .map((invoice) => ({ ...invoice, invoiceid: invoice.invoiceid ?? "" }));
}
