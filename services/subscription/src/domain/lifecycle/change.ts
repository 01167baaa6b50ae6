import type { BusinessView, NewEvent } from "@malipo/contracts";
import { addCycles, assert, centsToShillings } from "@malipo/core";
import type { PromptHours } from "../dunning/prompt-schedule.ts";
import { addHistory } from "./history.ts";
import { isOpen } from "./open-invoices.ts";
import { type Status, type StatusBefore, transitions, type Trigger } from "./states.ts";
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

export function billingContextOf(
  { settings }: BusinessView,
  { billingcycle }: Pick<Subscription, "billingcycle">,
  { now, hours }: Pick<BillingContext, "now" | "hours">,
): BillingContext {
  const duedays = billingcycle === "weekly" ? settings.duedaysweekly : settings.duedays;
  return { now, duedays, hours };
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

/** A subscription that is being created. It gets its first status from `transition`. */
export type NewSubscription = Omit<Subscription, "status"> & { readonly status: null };

/** The reason of a transition, the date it counts from, and the time of the decision. */
export interface Reason {
  readonly why: string;
  readonly asof: Date;
  readonly now: Date;
}

interface Transition extends Reason {
  readonly trigger: Trigger;
  readonly to: Status;
  readonly fields?: Partial<Omit<Subscription, "status">>;
}

interface Before {
  readonly entity: Subscription | NewSubscription;
  readonly events: readonly NewEvent[];
}

/** The statuses that a trigger can lead to; none if the table does not allow it. */
export function targetsOf(from: StatusBefore, trigger: Trigger): readonly Status[] {
  return transitions[from][trigger] ?? [];
}

/**
 * The only function that assigns `status`. The table of `states.ts` must allow the transition, else
 * this throws: the caller checks first where a refusal is an answer. A trigger that keeps the status
 * adds no history.
 */
export function transition(
  { entity, events }: Before,
  { trigger, to, fields, why, asof, now }: Transition,
): Change {
  const from = entity.status ?? "new";
  assert(targetsOf(from, trigger).includes(to), `${trigger} may lead from ${from} to ${to}`);
  if (from === to) return { entity: { ...entity, ...fields, status: to }, events };
  const history = addHistory(entity.history, { what: "became", status: to, why }, asof, now);
  return { entity: { ...entity, ...fields, status: to, history, updatedat: now }, events };
}

/** Billing stops until the debts are cleared. */
export function markPending(
  change: Change,
  trigger: "invoice-overdue" | "period-ends" | "resume",
  reason: Reason,
): Change {
  const fields = { nextbillingdate: null, pendingsince: reason.asof };
  return transition(change, { trigger, to: "pending", fields, ...reason });
}

/**
 * No debt and no offer is open any more. Billing continues at the end of the newest billed period. If
 * that has passed, the next period begins one cycle after the payment, which is the new billing anchor.
 */
export function reactivate(change: Change, at: Date, now: Date): Change {
  const { coveredthrough, billingAnchor, billingcycle } = change.entity;
  const isInTime = coveredthrough !== null && coveredthrough > at;
  const boundary = isInTime ? coveredthrough : addCycles(at, billingcycle, 1);
  const fields = {
    nextbillingdate: boundary,
    coveredthrough: boundary,
    billingAnchor: isInTime ? billingAnchor : boundary,
    pendingsince: null,
    expiringSince: null,
    expiryRetryAt: null,
  };
  const why = "nothing was left to pay";
  const active = transition(change, {
    trigger: "debts-cleared",
    to: "active",
    fields,
    why,
    asof: at,
    now,
  });
  return addEvent(active, "activated", why);
}

/** Ends a subscription: open renewal offers will be withdrawn, debts stay payable, prompts stop. */
export function end(
  change: Change,
  trigger: "cancel" | "end-date" | "pending-too-long",
  { cancelreason, ...reason }: Reason & Partial<Pick<Subscription, "cancelreason">>,
): Change {
  const to = trigger === "cancel" ? "cancelled" : "expired";
  const fields = {
    nextbillingdate: null,
    pendingsince: null,
    expiringSince: null,
    expiryRetryAt: null,
    mustWithdrawOffers: change.entity.invoices.some(
      (invoice) => invoice.why === "renewal" && isOpen(invoice),
    ),
    ...(cancelreason !== undefined && { cancelreason }),
  };
  return addEvent(transition(change, { trigger, to, fields, ...reason }), to, reason.why);
}
