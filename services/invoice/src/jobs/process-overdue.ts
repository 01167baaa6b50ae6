import type { BodyOf, calls, ReplyOf } from "@malipo/contracts";
import { addMs, hourMs, minuteMs, ok } from "@malipo/core";
import { type Cause, isStoreAway } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { applyDueDate } from "../domain/invoice/change-invoice.ts";
import type { DueInvoice } from "../store/invoices.ts";
import { applyCredit } from "../workflows/apply-credit.ts";

const concurrency = 50;
const triesMax = 10;
const retryDelayMaxMs = 6 * hourMs;

type Step = BodyOf<typeof calls.processOverdueInvoices>;
type StepResult = ReplyOf<typeof calls.processOverdueInvoices>["data"];

/**
 * Turns due invoices overdue, bucket by bucket, until the limit or the time of the step is reached.
 * Every change is conditional, so other workers on the same invoices and a crash do no harm.
 */
export async function processOverdueBatch(
  deps: Deps,
  { buckets, limit, until }: Step,
  cause: Cause,
): Promise<StepResult> {
  const { invoices, service } = deps;
  const found = await invoices.listDue(buckets, cause.now, limit + 1);
  const due = found.slice(0, limit);
  const oldest = due.length === 0 ? null : Math.min(...due.map(({ dueat }) => dueat.getTime()));
  const counts = { found: due.length, done: 0, failed: 0, skipped: 0 };
  let started = 0;
  const end = new Date(until);
  while (started < due.length && service.clock() < end) {
    const batch = due.slice(started, started + concurrency);
    started += batch.length;
    const outcomes = await Promise.all(batch.map((each) => processDueInvoice(deps, each, cause)));
    for (const outcome of outcomes) counts[outcome] += 1;
  }
  return {
    ...counts,
    oldest: oldest === null ? null : new Date(oldest).toISOString(),
    more: found.length > limit || started < due.length,
  };
}

async function processDueInvoice(
  deps: Deps,
  due: DueInvoice,
  cause: Cause,
): Promise<"done" | "failed" | "skipped"> {
  try {
    await applyCreditOf(deps, due, cause.now);
    const updated = await deps.invoices.update(due.businessid, due.id, cause, (invoice) =>
      ok(applyDueDate(invoice, cause.now)),
    );
    return updated?.isChanged ? "done" : "skipped";
  } catch (error) {
    if (isStoreAway(error)) throw error;
    await postpone(deps, due, cause.now, error);
    return "failed";
  }
}

/** Events apply credit. If one was lost, the due date is the last moment to do it. */
async function applyCreditOf(deps: Deps, { businessid, id }: DueInvoice, now: Date): Promise<void> {
  const invoice = await deps.invoices.find(businessid, id);
  if (!invoice?.owed) return;
  await applyCredit(deps, { businessid, customerid: invoice.customer.id }, { now });
}

/** Retries with a growing delay and parks the invoice after the last attempt: others must not wait. */
async function postpone(
  { invoices, service }: Deps,
  due: DueInvoice,
  now: Date,
  error: unknown,
): Promise<void> {
  const tries = due.tries + 1;
  const reason = String(error);
  const isParked = tries >= triesMax;
  service.log.error(
    { invoiceid: due.id, tries, reason, parked: isParked },
    "invoice not turned overdue",
  );
  const delayMs = Math.min(retryDelayMaxMs, minuteMs * 2 ** tries);
  const failure = { tries, reason, at: now, parkedat: isParked ? now : null };
  await invoices.postponeDue(due, failure, isParked ? null : addMs(now, delayMs));
}
