import type { BodyOf, calls, ReplyOf } from "@malipo/contracts";
import { addMs, hourMs, minuteMs } from "@malipo/core";
import { type Cause, dueFilter, isStoreAway } from "@malipo/platform";
import type { ObjectId } from "mongodb";
import { judgeDueDate } from "../domain/invoice/change-invoice.ts";
import type { Deps } from "../deps.ts";
import type { DueFailed } from "../domain/invoice/invoice.ts";

const atOnce = 50;
const triesMax = 10;
const longestDelayMs = 6 * hourMs;

type Work = BodyOf<typeof calls.processOverdueInvoices>;
type Outcome = ReplyOf<typeof calls.processOverdueInvoices>["data"];

interface Due {
  readonly _id: ObjectId;
  readonly businessid: ObjectId;
  readonly dueat: Date;
  readonly duefailed?: DueFailed | null;
}

/** Turns what is due overdue, bucket by bucket. Another worker on the same, or its end, does no harm. */
export async function processOverdueBatch(
  deps: Deps,
  { buckets, limit, until }: Work,
  cause: Cause,
): Promise<Outcome> {
  const due = await deps.invoices.collection
    .find(dueFilter(buckets, cause.now))
    .sort({ bucket: 1, dueat: 1 })
    .limit(limit + 1)
    .project<Due>({ businessid: 1, dueat: 1, duefailed: 1 })
    .toArray();
  const mine = due.slice(0, limit);
  const oldest = mine.length === 0 ? null : Math.min(...mine.map(({ dueat }) => dueat.getTime()));
  const outcome = { found: mine.length, done: 0, failed: 0, skipped: 0 };
  let worked = 0;
  const end = new Date(until);
  while (worked < mine.length && deps.service.clock() < end) {
    const batch = mine.slice(worked, worked + atOnce);
    worked += batch.length;
    const ends = await Promise.all(batch.map(async (one) => turnOverdue(deps, one, cause)));
    for (const end of ends) outcome[end] += 1;
  }
  return {
    ...outcome,
    oldest: oldest === null ? null : new Date(oldest).toISOString(),
    more: due.length > limit || worked < mine.length,
  };
}

async function turnOverdue(
  deps: Deps,
  due: Due,
  cause: Cause,
): Promise<"done" | "failed" | "skipped"> {
  try {
    let isTurned = false;
    await deps.invoices.amend(String(due.businessid), String(due._id), cause, (invoice) => {
      const change = judgeDueDate(invoice, cause.now);
      isTurned = change !== null;
      return change;
    });
    return isTurned ? "done" : "skipped";
  } catch (error) {
    if (isStoreAway(error)) throw error;
    await putOff(deps, due, cause.now, error);
    return "failed";
  }
}

/** Later and later, and in the end for good: what cannot be worked off stands in nobody's way. */
async function putOff(
  { invoices, service }: Deps,
  { _id, dueat, duefailed }: Due,
  now: Date,
  error: unknown,
): Promise<void> {
  const tries = (duefailed?.tries ?? 0) + 1;
  const reason = String(error);
  service.log.error({ invoiceid: String(_id), tries, reason }, "an invoice does not turn overdue");
  const delay = Math.min(longestDelayMs, minuteMs * 2 ** tries);
  const isParked = tries >= triesMax;
  const failed: DueFailed = { tries, reason, at: now, parkedat: isParked ? now : null };
  await invoices.collection.updateOne(
    { _id, dueat },
    { $set: { dueat: isParked ? null : addMs(now, delay), duefailed: failed } },
  );
}
