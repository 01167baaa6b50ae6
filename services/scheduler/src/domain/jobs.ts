import { calls, type JobName } from "@malipo/contracts";
import { minuteMs, secondMs } from "@malipo/core";

/** A call that processes a bounded step of due records; all owners answer it alike. */
type ProcessDueCall = (typeof calls)[
  | "processDueSubscriptions"
  | "processOverdueInvoices"
  | "reconcileBillings"
  | "reconcilePayments"];

/** A recurring job: which call to make, how often, in steps of which size, how many at once. */
export interface Job {
  readonly name: JobName;
  readonly about: string;
  readonly everyMs: number;
  readonly call: ProcessDueCall;
  /** Records per step. */
  readonly limit: number;
  /** Shares of buckets that are processed at once. */
  readonly concurrency: number;
}

export const jobs: readonly Job[] = [
  {
    name: "subscriptions-due",
    about: "Subscriptions: trial ends, period ends, overdue invoices, expiry and prompts",
    everyMs: 15 * secondMs,
    call: calls.processDueSubscriptions,
    limit: 100,
    concurrency: 4,
  },
  {
    name: "invoices-overdue",
    about: "Invoices whose due date has passed",
    everyMs: minuteMs,
    call: calls.processOverdueInvoices,
    limit: 200,
    concurrency: 2,
  },
  {
    name: "billings-compared",
    about: "Billed periods: the event of a period without an invoice is published again",
    everyMs: 5 * minuteMs,
    call: calls.reconcileBillings,
    limit: 100,
    concurrency: 2,
  },
  {
    name: "payments-compared",
    about: "Completed payments: the event of one missing on its invoice is published again",
    everyMs: 5 * minuteMs,
    call: calls.reconcilePayments,
    limit: 100,
    concurrency: 2,
  },
];
