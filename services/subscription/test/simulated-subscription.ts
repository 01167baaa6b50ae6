import { addMs, type BillingCycle, cents, dayMs } from "@malipo/core";
import type { PromptHours } from "../src/domain/dunning/prompt-schedule.ts";
import { advance } from "../src/domain/lifecycle/advance.ts";
import { expire, refuseExpiry } from "../src/domain/lifecycle/expiry.ts";
import type { BillingContext, Change } from "../src/domain/lifecycle/change.ts";
import {
  cancel,
  type Decision,
  finishWithdrawal,
  pause,
  requestManualInvoice,
  resume,
} from "../src/domain/lifecycle/commands.ts";
import {
  applyInvoiceUpdates,
  type InvoiceUpdate,
} from "../src/domain/lifecycle/invoice-updates.ts";
import { startSubscription } from "../src/domain/lifecycle/new-subscription.ts";
import { isOpen, keyOf, type Why } from "../src/domain/lifecycle/open-invoices.ts";
import type { Subscription } from "../src/domain/lifecycle/subscription.ts";

/** The creation date of every simulated subscription. */
export const start = new Date("2026-01-01T06:00:00Z");

/** Dates are written as days since `start`. */
export const day = (days: number): Date => new Date(start.getTime() + days * dayMs);
export const dayOf = (date: Date | null): number | null =>
  date && (date.getTime() - start.getTime()) / dayMs;

interface Issued {
  readonly id: string;
  readonly why: Why;
  readonly of: string;
  readonly issued: number;
  due: number;
  /** The business has set an overdue invoice back to unpaid. */
  excused?: boolean;
  status: "unpaid" | "partially_paid" | "overdue" | "paid" | "cancelled";
  seq: number;
}

interface Terms {
  readonly cycle?: BillingCycle;
  readonly autorenew?: boolean;
  readonly trialDays?: number;
  readonly endsOn?: number;
  readonly hours?: PromptHours;
}

interface Calendar {
  today: number;
}

const stateOf: Readonly<Record<Issued["status"], InvoiceUpdate["state"]>> = {
  unpaid: "open",
  partially_paid: "open",
  overdue: "overdue",
  paid: "closed",
  cancelled: "closed",
};

function updateOf({ id, why, of, due, status, seq, excused }: Issued, at: Date): InvoiceUpdate {
  const state = excused ? "excused" : stateOf[status];
  return { invoiceid: id, why, of, seq, state, duedate: day(due), at };
}

/** An invoice service that answers at once and loses no event. */
function simulateInvoices(calendar: Calendar, publish: (update: InvoiceUpdate) => void) {
  const invoices: Issued[] = [];

  const today = () => day(calendar.today);

  function set(
    issued: Issued | undefined,
    patch: Partial<Pick<Issued, "status" | "due" | "excused">>,
  ): void {
    if (!issued) throw new Error("there is no such invoice");
    Object.assign(issued, patch);
    issued.seq += 1;
    publish(updateOf(issued, today()));
  }

  return {
    issue({ why, of }: Pick<Issued, "why" | "of">, duedate: Date): void {
      const id = String(invoices.length + 1).padStart(24, "0");
      const due = dayOf(duedate) ?? 0;
      const issued: Issued = {
        id,
        why,
        of,
        issued: calendar.today,
        due,
        status: "unpaid",
        seq: 1,
      };
      invoices.push(issued);
      publish(updateOf(issued, today()));
    },
    find: (key: string) => invoices.find((each) => keyOf(each) === key),
    /** The answer is a little later than the question. */
    owed: () =>
      invoices
        .map((issued) => updateOf(issued, addMs(today(), 5)))
        .filter(({ state }) => state !== "closed"),
    set,
    patch: (number: number, patch: Parameters<typeof set>[1]) => set(invoices[number - 1], patch),
    /** Each invoice as "<day of issue>: <reason> <period start>, due <day>, <status>". */
    lines: () =>
      invoices.map(({ why, of, issued, due, status }) => {
        const what = why === "manual" ? `manual ${of}` : `${why} ${dayOf(new Date(of))}`;
        return `${issued}: ${what}, due ${due}, ${status}`;
      }),
  };
}

function create(terms: Terms, context: BillingContext): Change {
  const { cycle = "weekly", autorenew = false, trialDays, endsOn } = terms;
  return startSubscription(
    "b".repeat(24),
    { id: "a".repeat(24), subscriptionno: "SUB-000001", code: "s234567892" },
    {
      customerid: "c".repeat(24),
      items: [{ itemid: "d".repeat(24), title: "Internet", quantity: 1, rate: cents(250_000) }],
      billingcycle: cycle,
      autorenew,
      planid: null,
      trial: trialDays === undefined ? null : { startdate: start, enddate: day(trialDays) },
      enddate: endsOn === undefined ? null : day(endsOn),
      remark: null,
    },
    context,
  );
}

function openKeys({ invoices }: Subscription, reasons: readonly Why[]) {
  return invoices.filter((invoice) => isOpen(invoice) && reasons.includes(invoice.why)).map(keyOf);
}

/** One subscription, its invoices, and the work that the service does for it. */
function simulateService(terms: Terms) {
  const calendar: Calendar = { today: 0 };
  const duedays = (terms.cycle ?? "weekly") === "weekly" ? 3 : 7;
  const { hours = { from: 0, to: 24 } } = terms;
  const context = (): BillingContext => ({ now: day(calendar.today), duedays, hours });
  const events: string[] = [];
  const awaited: (boolean | undefined)[] = [];
  const created = create(terms, context());
  let subscription = created.entity;
  const invoices = simulateInvoices(calendar, (update) => {
    const change = applyInvoiceUpdates(subscription, [update], context().now, context());
    if (change) save(change);
  });
  save(created);

  function save(change: Change): void {
    subscription = change.entity;
    for (const event of change.events) {
      if (event.type === "subscription.billed") {
        awaited.push(event.data.key.awaited);
        invoices.issue(event.data.key, new Date(event.data.duedate));
      } else {
        events.push(`${dayOf(context().now)} ${event.type.replace("subscription.", "")}`);
      }
    }
  }

  function cancelOpen(reasons: readonly Why[]): void {
    for (const key of openKeys(subscription, reasons)) {
      invoices.set(invoices.find(key), { status: "cancelled" });
    }
  }

  /** Returns whether more work is left. */
  function step(isPaymentInProgress: boolean): boolean {
    if (subscription.mustWithdrawOffers) {
      cancelOpen(["renewal"]);
      save(finishWithdrawal(subscription));
    }
    let advanced = advance(subscription, context());
    if (advanced.nextStep === "fetch-owed") {
      advanced = advance(subscription, { ...context(), owed: invoices.owed() });
    }
    save(advanced);
    if (advanced.nextStep === "cancel-invoices" && isPaymentInProgress) {
      save(refuseExpiry(subscription, "an invoice is being paid", context().now));
    } else if (advanced.nextStep === "cancel-invoices") {
      cancelOpen(["cycle", "renewal", "manual"]);
      save(expire(subscription, context().now));
    }
    return advanced.nextStep !== "nothing" || subscription.mustWithdrawOffers;
  }

  /** Processes the subscription until nothing is due, as the due job does. */
  function processDue(isPaymentInProgress = false): void {
    for (let steps = 0; steps < 50; steps += 1) if (!step(isPaymentInProgress)) return;
    throw new Error("the subscription is still due after 50 steps");
  }

  return {
    calendar,
    context,
    events,
    awaited,
    invoices,
    save,
    processDue,
    subscription: (): Subscription => subscription,
  };
}

/** Simulates one subscription day by day with the functions of the domain. */
export function simulate(terms: Terms = {}) {
  const { calendar, context, events, awaited, invoices, save, processDue, subscription } =
    simulateService(terms);

  /** Returns the new status, or the text of the refusal. */
  function command(decide: () => Decision): string {
    processDue();
    const decision = decide();
    if (!decision.ok) return decision.error.text;
    save(decision.value);
    processDue();
    return subscription().status;
  }

  return {
    /** Processes the subscription on every day up to this one. */
    runTo(to: number) {
      for (let next = calendar.today + 1; next < to; next += 1) {
        calendar.today = next;
        processDue();
      }
      calendar.today = to;
      processDue();
    },
    /** Nothing is processed until this day. */
    skipTo(to: number) {
      calendar.today = to;
    },
    processDue,
    pay: (number: number) => invoices.patch(number, { status: "paid" }),
    payPart: (number: number) => invoices.patch(number, { status: "partially_paid" }),
    cancelInvoice: (number: number) => invoices.patch(number, { status: "cancelled" }),
    /** The business changes an invoice by API. */
    patch: invoices.patch,
    pause: () => command(() => pause(subscription(), context().now)),
    resume: () => command(() => resume(subscription(), invoices.owed(), context().now)),
    cancel: () => command(() => cancel(subscription(), "moving away", context().now)),
    generate() {
      const before = subscription().manualInvoice.n;
      const current = invoices.find(`manual:${before}`);
      const isClosed = current?.status === "paid" || current?.status === "cancelled";
      const answer = command(() => requestManualInvoice(subscription(), isClosed ? before : null));
      const of = String(subscription().manualInvoice.n);
      if (answer === "active" && !invoices.find(`manual:${of}`)) {
        invoices.issue({ why: "manual", of }, day(calendar.today + context().duedays));
      }
      return answer;
    },
    get invoices() {
      return invoices.lines();
    },
    /** The public events, each as "<day> <event>". */
    get events() {
      return events;
    },
    /** For each billed invoice: whether the event of its creation is awaited. */
    get awaited() {
      return awaited;
    },
    get state() {
      const { status, nextbillingdate } = subscription();
      return { status, next: dayOf(nextbillingdate) };
    },
    get subscription() {
      return subscription();
    },
  };
}
