import { advance } from "./lifecycle/advance.ts";
import type { Look } from "./lifecycle/change.ts";
import { nextMoment } from "./lifecycle/scheduled-transitions.ts";
import { type InvoiceNews, isOpen } from "./lifecycle/open-invoices.ts";
import type { Subscription } from "./lifecycle/subscription.ts";

export interface Preview {
  readonly becomes: Subscription["status"];
  /** The starts of the periods that would be billed or offered. */
  readonly periods: readonly Date[];
}

/** Far more than come before nobody is billed who has not paid. */
const stepsMax = 200;

/** What would be billed until a moment, each at its time, if nothing else happens: nobody pays, nobody pauses. */
export function previewSubscription(subscription: Subscription, look: Look, until: Date): Preview {
  let entity = subscription;
  const periods: Date[] = [];
  for (let steps = 0; steps < stepsMax; steps += 1) {
    const moment = nextMoment(entity);
    if (!moment || moment.at > until) break;
    const now = later(moment.at, look.now < until ? look.now : until);
    const step = advance(entity, { ...look, now, owed: asKnown(entity, now) });
    for (const event of step.events) {
      if (event.type === "subscription.billed") periods.push(new Date(event.data.key.of));
    }
    entity = step.entity;
    if (step.want === "cancellation") return { becomes: "expired", periods };
  }
  return { becomes: entity.status, periods };
}

function later(one: Date, other: Date): Date {
  return one > other ? one : other;
}

function asKnown({ invoices }: Subscription, at: Date): InvoiceNews[] {
  return invoices.filter(isOpen).map(({ prompting: _prompting, ...invoice }) => ({
    ...invoice,
    invoiceid: invoice.invoiceid ?? "",
    at,
  }));
}
