import { type BillingCycle, bucketOf, titleFromItems } from "@malipo/core";
import { become, bill, type Change, type Look, tell, unchanged } from "./change.ts";
import { amountOf, type Item, type Subscription, type Trial } from "./subscription.ts";

/** What was asked for, with all that it names looked up. */
export interface SubscriptionDraft {
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

/** What has to be drawn from outside. */
export interface SubscriptionMarks {
  readonly id: string;
  readonly subscriptionno: string;
  readonly code: string;
}

/** With a trial it waits for the trial's end; without one its first period begins now. */
export function newSubscription(
  businessid: string,
  marks: SubscriptionMarks,
  { title, ...draft }: SubscriptionDraft,
  look: Look,
): Change {
  const { now } = look;
  const begins = draft.trial?.enddate ?? now;
  const blank: Subscription = {
    ...marks,
    ...draft,
    businessid,
    title: title ?? titleFromItems(draft.items.map((item) => item.title)),
    status: "trial",
    amount: amountOf(draft.items),
    cancelreason: null,
    rhythm: begins,
    nextbillingdate: begins,
    coveredthrough: null,
    pendingsince: null,
    expiring: null,
    expirefrom: null,
    withdrawing: false,
    byhand: { n: 1, asked: false },
    invoices: [],
    prompts: 0,
    history: [],
    createdat: now,
    updatedat: now,
    bucket: bucketOf(marks.id),
    dueat: null,
    tries: 0,
    parked: null,
    heldback: null,
  };
  const status = draft.trial ? "trial" : "active";
  const created = become(unchanged(blank), status, {}, { why: "it was created", asof: now, now });
  if (draft.trial) return tell(created, "created", null);
  const billed = bill(created, now, "cycle", look);
  const told = tell({ ...billed, events: [] }, "created", null);
  return { entity: told.entity, events: [...told.events, ...billed.events] };
}
