import { type BillingCycle, bucketOf, titleFromItems } from "@malipo/core";
import { type Item, totalOf } from "../item.ts";
import { billPeriod } from "./periods.ts";
import {
  addEvent,
  type BillingContext,
  type Change,
  type NewSubscription,
  transition,
} from "./change.ts";
import type { Trial } from "./subscription.ts";

/** The terms of a new subscription. Its customer, plan and products are known to exist. */
export interface SubscriptionTerms {
  readonly title?: string | undefined;
  readonly customerid: string;
  readonly items: readonly Item[];
  readonly billingcycle: BillingCycle;
  readonly autorenew: boolean;
  readonly planid: string | null;
  readonly trial: Trial | null;
  readonly enddate: Date | null;
  readonly remark: string | null;
}

/** The identifiers that the caller draws for a new subscription. */
export interface SubscriptionIds {
  readonly id: string;
  readonly subscriptionno: string;
  readonly code: string;
}

/** The first period begins now, or when the trial ends. */
export function startSubscription(
  businessid: string,
  ids: SubscriptionIds,
  { title, ...terms }: SubscriptionTerms,
  context: BillingContext,
): Change {
  const { now } = context;
  const billingAnchor = terms.trial?.enddate ?? now;
  const blank: NewSubscription = {
    ...ids,
    ...terms,
    businessid,
    title: title ?? titleFromItems(terms.items.map((item) => item.title)),
    status: null,
    amount: totalOf(terms.items),
    cancelreason: null,
    billingAnchor,
    nextbillingdate: billingAnchor,
    coveredthrough: null,
    pendingsince: null,
    expiringSince: null,
    expiryRetryAt: null,
    mustWithdrawOffers: false,
    manualInvoice: { n: 1, asked: false },
    invoices: [],
    promptCount: 0,
    history: [],
    createdat: now,
    updatedat: now,
    bucket: bucketOf(ids.id),
    dueat: null,
    failedAttempts: 0,
    parked: null,
    heldBackSince: null,
  };
  const to = terms.trial ? "trial" : "active";
  const reason = { why: "it was created", asof: now, now };
  const created = transition({ entity: blank, events: [] }, { trigger: "create", to, ...reason });
  if (terms.trial) return addEvent(created, "created", null);
  const billed = billPeriod(created, now, "cycle", context);
  // The event `created` shows the next billing date after the first period and precedes its bill.
  const { entity, events } = addEvent({ ...billed, events: [] }, "created", null);
  return { entity, events: [...events, ...billed.events] };
}
