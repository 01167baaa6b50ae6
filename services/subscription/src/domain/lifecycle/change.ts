import type { NewEvent } from "@malipo/contracts";
import { addMs, dayMs, centsToShillings } from "@malipo/core";
import { billingOf } from "./billing.ts";
import { remember } from "./history.ts";
import { isOpen, notPrompted, type OpenInvoice, type Prompting } from "./open-invoices.ts";
import { periodFrom } from "./periods.ts";
import { type PromptHours, withinHours } from "../dunning/prompt-hours.ts";
import type { Status } from "./states.ts";
import type { Subscription } from "./subscription.ts";

/** A subscription on its way from what was read to what is saved, and what happened by it. */
export interface Change {
  readonly entity: Subscription;
  readonly events: readonly NewEvent[];
}

/** The moment at which somebody looks, and what the business has decided. */
export interface Look {
  readonly now: Date;
  /** Days from an invoice's issue until it falls due. */
  readonly duedays: number;
  readonly hours: PromptHours;
}

/** What made a status change, the date it counts from, and when it is saved. */
export interface Reason {
  readonly why: string;
  readonly asof: Date;
  readonly now: Date;
}

export const unchanged = (entity: Subscription): Change => ({ entity, events: [] });

type Told =
  | "created"
  | "activated"
  | "renewed"
  | "pending"
  | "paused"
  | "resumed"
  | "cancelled"
  | "expired";

export function tell({ entity, events }: Change, told: Told, reason: string | null): Change {
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
  return { entity, events: [...events, { type: `subscription.${told}`, data }] };
}

export function become(
  { entity, events }: Change,
  status: Status,
  fields: Partial<Subscription>,
  { why, asof, now }: Reason,
): Change {
  const history = remember(entity.history, { what: "became", status, why }, asof, now);
  return { entity: { ...entity, ...fields, status, history, updatedat: now }, events };
}

/** Records the period and says so: the invoice service issues from that, once per key. */
export function bill(
  { entity, events }: Change,
  from: Date,
  why: "cycle" | "renewal",
  { now, duedays, hours }: Look,
): Change {
  const period = periodFrom(from, entity.billingcycle);
  const issue = { why, of: from.toISOString() };
  const duedate = addMs(now, duedays * dayMs);
  const prompting = prompted(entity, now, hours);
  const invoice: OpenInvoice = {
    ...issue,
    invoiceid: null,
    seq: 0,
    state: "open",
    duedate,
    prompting,
  };
  const billed: Subscription = {
    ...entity,
    coveredthrough: period.to,
    nextbillingdate: why === "renewal" ? null : period.to,
    invoices: [...entity.invoices, invoice],
    prompts: 0,
    history: remember(entity.history, { what: "billed", ...period, why }, from, now),
    updatedat: now,
  };
  // With a prompt to come, or none, it need not hear of an invoice that is as it was billed.
  const awaited = entity.autorenew && prompting.nextat === null;
  const data = billingOf(entity, { ...issue, awaited }, duedate);
  return { entity: billed, events: [...events, { type: "subscription.billed", data }] };
}

/** While phones rest, it is known already when this one will ring; else once the invoice is there. */
function prompted({ autorenew }: Subscription, now: Date, hours: PromptHours): Prompting {
  const rings = withinHours(now, hours);
  return autorenew && rings > now ? { ...notPrompted, nextat: rings } : notPrompted;
}

/** Nothing more is scheduled: offers are taken back, debts stay, prompts stop. */
export function finish(
  change: Change,
  status: "cancelled" | "expired",
  fields: Partial<Subscription>,
  reason: Reason,
): Change {
  const finished = become(
    change,
    status,
    {
      nextbillingdate: null,
      pendingsince: null,
      expiring: null,
      expirefrom: null,
      withdrawing: change.entity.invoices.some(
        (invoice) => invoice.why === "renewal" && isOpen(invoice),
      ),
      ...fields,
    },
    reason,
  );
  return tell(finished, status, reason.why);
}
