import type { BusinessView, NewEvent } from "@malipo/contracts";
import { type BillingCycle, centsToShillings } from "@malipo/core";
import type { PromptHours } from "../dunning/prompt-hours.ts";
import type { Subscription } from "./subscription.ts";

/** The result of a decision: the subscription to save, and the events to publish with it. */
export interface Change {
  readonly entity: Subscription;
  readonly events: readonly NewEvent[];
}

/** The time of a decision, and the settings that it needs. */
export interface BillingContext {
  readonly now: Date;
  /** Days from the issue of an invoice to its due date. */
  readonly duedays: number;
  readonly hours: PromptHours;
}

export function dueDaysOf({ settings }: BusinessView, cycle: BillingCycle): number {
  return cycle === "weekly" ? settings.duedaysweekly : settings.duedays;
}

export function billingContextOf(
  business: BusinessView,
  { billingcycle }: Pick<Subscription, "billingcycle">,
  { now, hours }: Pick<BillingContext, "now" | "hours">,
): BillingContext {
  return { now, hours, duedays: dueDaysOf(business, billingcycle) };
}

export const unchanged = (entity: Subscription): Change => ({ entity, events: [] });

type PublicEvent =
  | "created"
  | "activated"
  | "renewed"
  | "pending"
  | "paused"
  | "resumed"
  | "cancelled"
  | "expired";

export function addEvent(
  { entity, events }: Change,
  event: PublicEvent,
  reason: string | null,
): Change {
  const data = {
    subscriptionid: entity.id,
    subscriptionno: entity.subscriptionno,
    title: entity.title,
    status: entity.status,
    amount: centsToShillings(entity.amount),
    billingcycle: entity.billingcycle,
    autorenew: entity.autorenew,
    customerid: entity.customerid,
    nextbillingdate: entity.nextbillingdate?.toISOString() ?? null,
    reason,
  };
  return { entity, events: [...events, { type: `subscription.${event}`, data }] };
}
