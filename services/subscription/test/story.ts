import { addMs, type BillingCycle, cents, dayMs } from "@malipo/core";
import { advance, expire, refuseExpiry } from "../src/domain/lifecycle/advance.ts";
import type { Change, Look } from "../src/domain/lifecycle/change.ts";
import {
  askByHand,
  cancel,
  type Decision,
  pause,
  resume,
  withdrawn,
} from "../src/domain/lifecycle/commands.ts";
import { hearInvoices } from "../src/workflows/apply-invoice-updates.ts";
import { newSubscription } from "../src/domain/lifecycle/new-subscription.ts";
import {
  type InvoiceNews,
  isOpen,
  keyOf,
  type Why,
} from "../src/domain/lifecycle/open-invoices.ts";
import type { PromptHours } from "../src/domain/dunning/prompt-hours.ts";
import type { Subscription } from "../src/domain/lifecycle/subscription.ts";

/** The first moment of every story. */
export const dawn = new Date("2026-01-01T06:00:00Z");

export const day = (days: number): Date => new Date(dawn.getTime() + days * dayMs);
export const dayOf = (date: Date | null): number | null =>
  date && (date.getTime() - dawn.getTime()) / dayMs;

interface Issued {
  readonly id: string;
  readonly why: Why;
  readonly of: string;
  readonly issued: number;
  due: number;
  /** Somebody has set it not to be overdue. */
  excused?: boolean;
  status: "unpaid" | "partially_paid" | "overdue" | "paid" | "cancelled";
  seq: number;
}

interface Beginning {
  readonly cycle?: BillingCycle;
  readonly autorenew?: boolean;
  readonly trialDays?: number;
  readonly endsOn?: number;
  readonly hours?: PromptHours;
}

interface Calendar {
  today: number;
}

const stateOf: Readonly<Record<Issued["status"], InvoiceNews["state"]>> = {
  unpaid: "open",
  partially_paid: "open",
  overdue: "overdue",
  paid: "closed",
  cancelled: "closed",
};

function newsOf({ id, why, of, due, status, seq, excused }: Issued, at: Date): InvoiceNews {
  const state = excused ? "excused" : stateOf[status];
  return { invoiceid: id, why, of, seq, state, duedate: day(due), at };
}

/** An invoice service that answers at once and never forgets. */
function invoiceBook(calendar: Calendar, hear: (news: InvoiceNews) => void) {
  const invoices: Issued[] = [];

  const today = () => day(calendar.today);

  function set(
    issued: Issued | undefined,
    patch: Partial<Pick<Issued, "status" | "due" | "excused">>,
  ): void {
    if (!issued) throw new Error("there is no such invoice");
    Object.assign(issued, patch);
    issued.seq += 1;
    hear(newsOf(issued, today()));
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
      hear(newsOf(issued, today()));
    },
    find: (key: string) => invoices.find((each) => keyOf(each) === key),
    /** Whoever asks hears of a moment that is a little later than the question. */
    owed: () =>
      invoices
        .map((issued) => newsOf(issued, addMs(today(), 5)))
        .filter(({ state }) => state !== "closed"),
    set,
    patch: (number: number, patch: Parameters<typeof set>[1]) => set(invoices[number - 1], patch),
    /** Every invoice as "issued on: for which day, due on, how it stands". */
    lines: () =>
      invoices.map(({ why, of, issued, due, status }) => {
        const what = why === "manual" ? `manual ${of}` : `${why} ${dayOf(new Date(of))}`;
        return `${issued}: ${what}, due ${due}, ${status}`;
      }),
  };
}

function beginning(begin: Beginning, look: Look): Change {
  const { cycle = "weekly", autorenew = false, trialDays, endsOn } = begin;
  return newSubscription(
    "b".repeat(24),
    { id: "a".repeat(24), subscriptionno: "SUB-000001", code: "s234567892" },
    {
      customerid: "c".repeat(24),
      items: [{ itemid: "d".repeat(24), title: "Internet", quantity: 1, rate: cents(250_000) }],
      billingcycle: cycle,
      autorenew,
      planid: null,
      trial: trialDays === undefined ? null : { startdate: dawn, enddate: day(trialDays) },
      enddate: endsOn === undefined ? null : day(endsOn),
      remark: null,
    },
    look,
  );
}

/** One subscription, what it knows, and what the service would do with it. */
function living(begin: Beginning) {
  const calendar: Calendar = { today: 0 };
  const duedays = (begin.cycle ?? "weekly") === "weekly" ? 3 : 7;
  const { hours = { from: 0, to: 24 } } = begin;
  const look = (): Look => ({ now: day(calendar.today), duedays, hours });
  const told: string[] = [];
  const awaited: (boolean | undefined)[] = [];
  const begun = beginning(begin, look());
  let subscription = begun.entity;
  const book = invoiceBook(calendar, (news) => {
    const change = hearInvoices(subscription, [news], look().now, look());
    if (change) keep(change);
  });
  keep(begun);

  function keep({ entity, events }: Change): void {
    subscription = entity;
    for (const event of events) {
      if (event.type === "subscription.billed") {
        awaited.push(event.data.key.awaited);
        book.issue(event.data.key, new Date(event.data.duedate));
      } else {
        told.push(`${dayOf(look().now)} ${event.type.replace("subscription.", "")}`);
      }
    }
  }

  function cancelAll(isMeant: (why: Why) => boolean): void {
    const open = subscription.invoices.filter((each) => isOpen(each) && isMeant(each.why));
    for (const invoice of open) book.set(book.find(keyOf(invoice)), { status: "cancelled" });
  }

  function step(isBeingPaid: boolean): boolean {
    if (subscription.withdrawing) {
      cancelAll((why) => why === "renewal");
      keep(withdrawn(subscription));
    }
    let advanced = advance(subscription, look());
    if (advanced.want === "owed") {
      advanced = advance(subscription, { ...look(), owed: book.owed() });
    }
    keep(advanced);
    if (advanced.want === "cancellation") {
      if (!isBeingPaid) cancelAll(() => true);
      keep(
        isBeingPaid
          ? refuseExpiry(subscription, "an invoice is being paid", look().now)
          : expire(subscription, look().now),
      );
    }
    return advanced.want !== "nothing" || subscription.withdrawing;
  }

  /** What the work-off does until nothing is due. */
  function workOff(isBeingPaid = false): void {
    for (let steps = 0; steps < 50; steps += 1) if (!step(isBeingPaid)) return;
    throw new Error("it never comes to rest");
  }

  return {
    calendar,
    look,
    told,
    awaited,
    book,
    keep,
    workOff,
    subscription: (): Subscription => subscription,
  };
}

/** One subscription's life, told in days. */
export function story(begin: Beginning = {}) {
  const { calendar, look, told, awaited, book, keep, workOff, subscription } = living(begin);

  function command(decide: () => Decision): string {
    workOff();
    const decision = decide();
    if (!decision.ok) return decision.error.text;
    keep(decision.value);
    workOff();
    return subscription().status;
  }

  return {
    /** The scheduler's visit on every day up to this one. */
    until(to: number) {
      for (let next = calendar.today + 1; next < to; next += 1) {
        calendar.today = next;
        workOff();
      }
      calendar.today = to;
      workOff();
    },
    /** Nobody comes until this day. */
    sleepUntil(to: number) {
      calendar.today = to;
    },
    workOff,
    pay: (number: number) => book.patch(number, { status: "paid" }),
    payPart: (number: number) => book.patch(number, { status: "partially_paid" }),
    cancelInvoice: (number: number) => book.patch(number, { status: "cancelled" }),
    /** What the business changes by hand. */
    patch: book.patch,
    pause: () => command(() => pause(subscription(), look().now)),
    resume: () => command(() => resume(subscription(), book.owed(), look().now)),
    cancel: () => command(() => cancel(subscription(), "moving away", look().now)),
    generate() {
      const before = subscription().byhand.n;
      const current = book.find(`manual:${before}`);
      const isClosed = current?.status === "paid" || current?.status === "cancelled";
      const said = command(() => askByHand(subscription(), isClosed ? before : null));
      const of = String(subscription().byhand.n);
      if (said === "active" && !book.find(`manual:${of}`)) {
        book.issue({ why: "manual", of }, day(calendar.today + look().duedays));
      }
      return said;
    },
    get invoices() {
      return book.lines();
    },
    get told() {
      return told;
    },
    /** Of each bill, whether its invoice is awaited. */
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
