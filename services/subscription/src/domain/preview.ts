import { advance } from "./lifecycle/advance.ts";
import type { BillingContext } from "./lifecycle/change.ts";
import type { InvoiceUpdate } from "./lifecycle/invoice-updates.ts";
import { isOpen } from "./lifecycle/open-invoices.ts";
import { nextTransition } from "./lifecycle/schedule.ts";
import type { Subscription } from "./lifecycle/subscription.ts";

export interface Preview {
  readonly becomes: Subscription["status"];
  /** The starts of the periods that would be billed or offered. */
  readonly periods: readonly Date[];
}

/** An unpaid subscription ends long before this many steps. */
const stepsMax = 200;

/** Lists the periods billed until a date, each at its time, if there is no payment and no command. */
export function previewSubscription(
  subscription: Subscription,
  context: BillingContext,
  until: Date,
): Preview {
  let entity = subscription;
  const periods: Date[] = [];
  for (let steps = 0; steps < stepsMax; steps += 1) {
    const next = nextTransition(entity);
    if (!next || next.at > until) break;
    const now = later(next.at, context.now < until ? context.now : until);
    const step = advance(entity, { ...context, now, owed: assumeUnpaid(entity, now) });
    for (const event of step.events) {
      if (event.type === "subscription.billed") periods.push(new Date(event.data.key.of));
    }
    entity = step.entity;
    if (step.nextStep === "cancel-invoices") return { becomes: "expired", periods };
  }
  return { becomes: entity.status, periods };
}

function later(one: Date, other: Date): Date {
  return one > other ? one : other;
}

function assumeUnpaid({ invoices }: Subscription, at: Date): InvoiceUpdate[] {
  return invoices.filter(isOpen).map(({ prompting: _prompting, ...invoice }) => ({
    ...invoice,
    invoiceid: invoice.invoiceid ?? "",
    at,
  }));
}
