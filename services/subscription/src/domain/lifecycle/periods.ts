import type { EventData, IssuedFor } from "@malipo/contracts";
import {
  addCycles,
  addMs,
  assert,
  type BillingCycle,
  centsToShillings,
  cycleDays,
  dayMs,
} from "@malipo/core";
import { type PromptHours, withinHours } from "../dunning/prompt-schedule.ts";
import type { BillingContext, Change } from "./change.ts";
import { addHistory } from "./history.ts";
import { notPrompted, type OpenInvoice, type Prompting } from "./open-invoices.ts";
import type { Subscription } from "./subscription.ts";

/** The time that one invoice bills: `from` is inside the period, `to` is not. */
export interface Period {
  readonly from: Date;
  readonly to: Date;
}

export function periodFrom(from: Date, cycle: BillingCycle): Period {
  return { from, to: addCycles(from, cycle, 1) };
}

/** The first boundary after a date. Boundaries are whole cycles away from the billing anchor. */
export function boundaryAfter(date: Date, billingAnchor: Date, cycle: BillingCycle): Date {
  const lengthMs = cycleDays[cycle] * dayMs;
  const passed = Math.floor((date.getTime() - billingAnchor.getTime()) / lengthMs);
  const boundary = addCycles(billingAnchor, cycle, passed + 1);
  assert(boundary > date, "the next boundary lies ahead");
  return boundary;
}

/**
 * Records that a period is billed and adds the event from which the invoice service issues the
 * invoice, once per key.
 */
export function billPeriod(
  { entity, events }: Change,
  from: Date,
  why: "cycle" | "renewal",
  { now, duedays, hours }: BillingContext,
): Change {
  const period = periodFrom(from, entity.billingcycle);
  const issue = { why, of: from.toISOString() };
  const duedate = addMs(now, duedays * dayMs);
  const prompting = promptingOfNew(entity, now, hours);
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
    promptCount: 0,
    history: addHistory(entity.history, { what: "billed", ...period, why }, from, now),
    updatedat: now,
  };
  // Only a prompt that is due at once waits for the event that the invoice was created. A later
  // prompt finds the invoice by its key, and without autorenew there is no prompt.
  const awaited = entity.autorenew && prompting.nextat === null;
  const data = toBilledData(entity, { ...issue, awaited }, duedate);
  return { entity: billed, events: [...events, { type: "subscription.billed", data }] };
}

/** Outside the prompt hours the first prompt is scheduled now; inside them, when the invoice exists. */
function promptingOfNew({ autorenew }: Subscription, now: Date, hours: PromptHours): Prompting {
  const nextat = withinHours(now, hours);
  return autorenew && nextat > now ? { ...notPrompted, nextat } : notPrompted;
}

/** The data that the invoice service needs to issue an invoice. */
export function toBilledData(
  { id, customerid, title, items }: Subscription,
  issue: Omit<IssuedFor, "subscriptionid">,
  duedate: Date,
): EventData<"subscription.billed"> {
  return {
    key: { subscriptionid: id, ...issue },
    customerid,
    title,
    items: items.map((item) => ({ ...item, rate: centsToShillings(item.rate) })),
    duedate: duedate.toISOString(),
  };
}
