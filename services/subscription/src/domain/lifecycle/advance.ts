import { addCycles, addMs, assert, hourMs } from "@malipo/core";
import { become, bill, type Change, finish, type Look, tell, unchanged } from "./change.ts";
import { remember } from "./history.ts";
import { type Moment, nextMoment } from "./scheduled-transitions.ts";
import { agreeWith, close, holdsUp, type InvoiceNews, isOpen, isOverdue } from "./open-invoices.ts";
import type { Subscription } from "./subscription.ts";

/** Missed periods are billed in order; after so many the rest waits for the next step. */
const billedInAStepMax = 12;
/** When a payment under way stands in the way of an expiry, it is looked at again after this. */
const expiryAgainMs = hourMs;

/** What has to be asked or done before it can go on. */
type Want =
  | "nothing"
  /** There is more that is due: the step was long enough. */
  | "another-step"
  /** What the invoice service says is owed. */
  | "owed"
  /** An invoice that was billed, and of which nothing has been heard. */
  | "issue"
  /** The open invoices have to be cancelled, so that it can expire. */
  | "cancellation";

export interface Advance extends Change {
  readonly want: Want;
}

interface Known extends Look {
  /** The whole truth of the moment about what is open, once it was asked for. */
  readonly owed?: readonly InvoiceNews[] | undefined;
}

/** Applies the moments that are due, the oldest first, each as of its own date. */
export function advance(subscription: Subscription, known: Known): Advance {
  // What was begun is finished, or refused; that its invoices are cancelled by now is no settlement.
  if (subscription.expiring) return { ...unchanged(subscription), want: "cancellation" };
  const { owed } = known;
  let change = unchanged(
    owed ? { ...subscription, invoices: agreeWith(subscription.invoices, owed) } : subscription,
  );
  for (let bills = 0; bills < billedInAStepMax;) {
    const moment = nextMoment(change.entity);
    if (!moment || moment.at > known.now) return { ...change, want: "nothing" };
    const want = wantFor(moment, change.entity, known);
    if (want) return { ...change, want };
    const before = change.entity.coveredthrough;
    change = apply(moment, change, known);
    if (change.entity.expiring) return { ...change, want: "cancellation" };
    if (change.entity.coveredthrough !== before) bills += 1;
  }
  return { ...change, want: "another-step" };
}

/** Before it hurts a customer, the invoice service is asked. */
function wantFor(moment: Moment, { invoices }: Subscription, known: Known): Want | null {
  if (moment.kind !== "falls-overdue" && moment.kind !== "waits-too-long") return null;
  if (!known.owed) return "owed";
  if (moment.kind === "waits-too-long") return null;
  const overdue = invoices.filter((invoice) => isOpen(invoice) && isOverdue(invoice, moment.at));
  return overdue.some(({ invoiceid }) => invoiceid !== null) ? null : "issue";
}

function apply({ kind, at }: Moment, change: Change, known: Known): Change {
  const { entity } = change;
  const { now } = known;
  switch (kind) {
    case "reaches-its-end":
      return finish(change, "expired", {}, { why: "it reached its end date", asof: at, now });
    case "trial-ends": {
      const reason = { why: "its trial ended", asof: at, now };
      const active = bill(become(change, "active", { rhythm: at }, reason), at, "cycle", known);
      return tell(active, "activated", reason.why);
    }
    case "period-ends":
      return entity.autorenew
        ? tell(bill(change, at, "cycle", known), "renewed", null)
        : offerRenewal(change, at, known);
    case "falls-overdue":
      return wait(change, { why: "an invoice was overdue", asof: at, now });
    case "waits-too-long":
      return entity.invoices.some((invoice) => holdsUp(invoice, now))
        ? { ...change, entity: { ...entity, expiring: at, updatedat: now } }
        : settle(change, now, now);
    default:
      return kind satisfies never;
  }
}

function offerRenewal(change: Change, at: Date, look: Look): Change {
  const reason = { why: "its period ended and renewal was offered", asof: at, now: look.now };
  const pending = become(change, "pending", { pendingsince: at }, reason);
  return tell(bill(pending, at, "renewal", look), "pending", reason.why);
}

/** Billing stops until the customer has settled. */
export function wait(change: Change, reason: { why: string; asof: Date; now: Date }): Change {
  const fields = { nextbillingdate: null, pendingsince: reason.asof };
  return tell(become(change, "pending", fields, reason), "pending", reason.why);
}

/** Nothing holds it up any more: on with what was paid for, or in a new rhythm if that has passed. */
export function settle(change: Change, at: Date, now: Date): Change {
  const { coveredthrough, rhythm, billingcycle } = change.entity;
  const inTime = coveredthrough !== null && coveredthrough > at;
  const boundary = inTime ? coveredthrough : addCycles(at, billingcycle, 1);
  const fields = {
    nextbillingdate: boundary,
    coveredthrough: boundary,
    rhythm: inTime ? rhythm : boundary,
    pendingsince: null,
    expiring: null,
    expirefrom: null,
  };
  const reason = { why: "nothing was left to pay", asof: at, now };
  return tell(become(change, "active", fields, reason), "activated", reason.why);
}

/** Its open invoices are cancelled: nothing keeps it from its end. */
export function expire(subscription: Subscription, now: Date): Change {
  const { expiring } = subscription;
  assert(expiring !== null, "what expires was about to");
  const invoices = subscription.invoices.map((invoice) =>
    isOpen(invoice) ? close(invoice) : invoice,
  );
  const reason = { why: "it waited too long for a payment", asof: expiring, now };
  return finish(unchanged({ ...subscription, invoices }), "expired", {}, reason);
}

/** An invoice is paid or being paid: it goes on waiting, and is looked at again. */
export function refuseExpiry(subscription: Subscription, why: string, now: Date): Change {
  const history = remember(subscription.history, { what: "expiry-refused", why }, now, now);
  const expirefrom = addMs(now, expiryAgainMs);
  return unchanged({ ...subscription, expiring: null, expirefrom, history, updatedat: now });
}
