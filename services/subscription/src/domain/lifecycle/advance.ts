import { billPeriod } from "./periods.ts";
import {
  addEvent,
  type BillingContext,
  type Change,
  end,
  markPending,
  transition,
  unchanged,
} from "./change.ts";
import { beginExpiry } from "./expiry.ts";
import { type InvoiceUpdate, replaceOpenInvoices } from "./invoice-updates.ts";
import { isOpen, isOverdue } from "./open-invoices.ts";
import { nextTransition, type ScheduledTransition } from "./schedule.ts";
import type { Subscription } from "./subscription.ts";

/** Missed periods are billed in order. After this many the rest waits for the next step. */
const billedPerStepMax = 12;

/** The caller does this step before it calls `advance` again. */
type NextStep =
  | "nothing"
  /** More transitions are due, but the limit of one step is reached. */
  | "another-step"
  /** Fetch what the customer owes from the invoice service. */
  | "fetch-owed"
  /** Wait until the invoice service has issued a billed invoice. */
  | "await-issue"
  /** Cancel the open invoices, so that the subscription can expire. */
  | "cancel-invoices";

export interface Advance extends Change {
  readonly nextStep: NextStep;
}

interface AdvanceContext extends BillingContext {
  /** All open invoices, if the invoice service was asked. */
  readonly owed?: readonly InvoiceUpdate[] | undefined;
}

/** Applies the transitions that are due, oldest first, each as of its own date. */
export function advance(subscription: Subscription, context: AdvanceContext): Advance {
  // An expiry that has begun is finished or refused first. Its invoices are being cancelled, so that
  // none of them is open does not mean that the debts are cleared.
  if (subscription.expiringSince) {
    return { ...unchanged(subscription), nextStep: "cancel-invoices" };
  }
  const { owed } = context;
  const invoices = owed && replaceOpenInvoices(subscription.invoices, owed);
  let change = unchanged(invoices ? { ...subscription, invoices } : subscription);
  for (let billed = 0; billed < billedPerStepMax;) {
    const due = nextTransition(change.entity);
    if (!due || due.at > context.now) return { ...change, nextStep: "nothing" };
    const nextStep = stepBefore(due, change.entity, context);
    if (nextStep) return { ...change, nextStep };
    const before = change.entity.coveredthrough;
    change = applyTransition(due, change, context);
    if (change.entity.expiringSince) return { ...change, nextStep: "cancel-invoices" };
    if (change.entity.coveredthrough !== before) billed += 1;
  }
  return { ...change, nextStep: "another-step" };
}

/** Before a transition that harms a customer the invoice service is asked what is owed. */
function stepBefore(
  { trigger, at }: ScheduledTransition,
  { invoices }: Subscription,
  { owed }: AdvanceContext,
): NextStep | null {
  if (trigger !== "invoice-overdue" && trigger !== "pending-too-long") return null;
  if (!owed) return "fetch-owed";
  if (trigger === "pending-too-long") return null;
  const overdue = invoices.filter((invoice) => isOpen(invoice) && isOverdue(invoice, at));
  return overdue.some(({ invoiceid }) => invoiceid !== null) ? null : "await-issue";
}

function applyTransition(
  { trigger, at }: ScheduledTransition,
  change: Change,
  context: AdvanceContext,
): Change {
  const { entity } = change;
  const { now } = context;
  switch (trigger) {
    case "end-date":
      return end(change, trigger, { why: "it reached its end date", asof: at, now });
    case "trial-ends": {
      const reason = { why: "its trial ended", asof: at, now };
      const fields = { billingAnchor: at };
      const active = transition(change, { trigger, to: "active", fields, ...reason });
      return addEvent(billPeriod(active, at, "cycle", context), "activated", reason.why);
    }
    case "period-ends":
      return entity.autorenew ? renew(change, at, context) : offerRenewal(change, at, context);
    case "invoice-overdue": {
      const reason = { why: "an invoice was overdue", asof: at, now };
      return addEvent(markPending(change, trigger, reason), "pending", reason.why);
    }
    case "pending-too-long":
      return beginExpiry(change, at, now);
    default:
      return trigger satisfies never;
  }
}

function renew(change: Change, at: Date, context: BillingContext): Change {
  const reason = { why: "its period ended", asof: at, now: context.now };
  const active = transition(change, { trigger: "period-ends", to: "active", ...reason });
  return addEvent(billPeriod(active, at, "cycle", context), "renewed", null);
}

function offerRenewal(change: Change, at: Date, context: BillingContext): Change {
  const why = "its period ended and renewal was offered";
  const pending = markPending(change, "period-ends", { why, asof: at, now: context.now });
  return addEvent(billPeriod(pending, at, "renewal", context), "pending", why);
}
