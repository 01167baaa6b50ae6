import { addMs, dayMs } from "@malipo/core";
import { isOpen, promptedOf } from "./open-invoices.ts";
import { patienceDays } from "./periods.ts";
import { isFinal, type Subscription } from "./subscription.ts";

/** What a date can bring about. */
type MomentKind =
  | "reaches-its-end"
  | "falls-overdue"
  | "trial-ends"
  | "period-ends"
  | "waits-too-long";

export interface Moment {
  readonly kind: MomentKind;
  readonly at: Date;
}

/** At one instant, what stands first here comes first. */
const order: readonly MomentKind[] = [
  "reaches-its-end",
  "falls-overdue",
  "trial-ends",
  "period-ends",
  "waits-too-long",
];

/** What happens to a subscription next if nobody does anything; null when nothing ever will. */
export function nextMoment(subscription: Subscription): Moment | null {
  return momentsOf(subscription).reduce<Moment | null>(
    (first, moment) => (first && isBefore(first, moment) ? first : moment),
    null,
  );
}

function isBefore(one: Moment, other: Moment): boolean {
  const apart = one.at.getTime() - other.at.getTime();
  return apart < 0 || (apart === 0 && order.indexOf(one.kind) <= order.indexOf(other.kind));
}

function momentsOf(subscription: Subscription): Moment[] {
  if (isFinal(subscription)) return [];
  const { status, enddate } = subscription;
  const moments: Moment[] = enddate ? [{ kind: "reaches-its-end", at: enddate }] : [];
  if (status === "trial" || status === "active") {
    const { nextbillingdate } = subscription;
    const kind = status === "trial" ? "trial-ends" : "period-ends";
    if (nextbillingdate) moments.push({ kind, at: nextbillingdate });
  }
  if (status === "active") moments.push(...overdueMoments(subscription));
  if (status === "pending") moments.push({ kind: "waits-too-long", at: expiryOf(subscription) });
  return moments;
}

function overdueMoments({ invoices }: Subscription): Moment[] {
  return invoices
    .filter(({ state }) => state === "open" || state === "overdue")
    .map(({ duedate }) => ({ kind: "falls-overdue", at: duedate }));
}

/** When a subscription that waits for its customer ends. */
function expiryOf({ pendingsince, expirefrom, updatedat, billingcycle }: Subscription): Date {
  if (expirefrom) return expirefrom;
  return addMs(pendingsince ?? updatedat, patienceDays(billingcycle) * dayMs);
}

export function earlier(one: Date | null, other: Date | null): Date | null {
  if (!one || !other) return one ?? other;
  return one <= other ? one : other;
}

/** A customer is asked to pay while the subscription is in force, and at no other time. */
export function nextPromptAt({ status, autorenew, invoices }: Subscription): Date | null {
  if (!autorenew || (status !== "active" && status !== "pending")) return null;
  const prompted = promptedOf(invoices);
  if (prompted) return prompted.prompting.nextat;
  return invoices
    .filter(isOpen)
    .reduce<Date | null>((first, { prompting }) => earlier(first, prompting.nextat), null);
}
