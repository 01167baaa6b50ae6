import { reconciledEvents, type ProcessDueResult } from "@malipo/contracts";
import { type Fault, ok, type Result } from "@malipo/core";
import { dueFilter } from "../mongo/index.ts";
import {
  type EventfulCollection,
  type EventfulDocument,
  type Outbox,
  type PendingReconciliation,
  reconciliationFields,
  reconciliationOf,
  type StoredEvent,
  storedReconciliation,
} from "../outbox/index.ts";
import type { Service } from "../service/index.ts";
import { afterResend } from "./pending-reconciliations.ts";

/** The number of events in one request to the other service. */
const eventsPerRequestMax = 500;

/** An event of a record for which another service must have made a record. */
export interface ReconciledEvent {
  readonly businessid: string;
  readonly recordid: string;
  readonly event: StoredEvent;
}

interface ReconciliationContext extends Pick<Service, "log" | "metrics"> {
  readonly outbox: Outbox;
}

interface Reconciliation {
  readonly service: ReconciliationContext;
  readonly collection: EventfulCollection;
  /** The record that the other service must have, in words. */
  readonly wanted: string;
  /** Asks the other service: the ids of the events that it does not know. */
  readonly missingOf: (
    events: readonly ReconciledEvent[],
  ) => Promise<Result<ReadonlySet<string>, Fault>>;
}

interface Step {
  readonly buckets: readonly number[];
  readonly limit: number;
  readonly now: Date;
}

/** Exports the counters with 0 at the start: a counter that first appears as 1 shows no increase. */
export function startReconciliationCounters(
  { metrics }: Pick<Service, "metrics">,
  wanted: string,
): void {
  for (const outcome of ["there", "sent_again", "missing"]) {
    metrics.compared.inc({ wanted, outcome }, 0);
  }
}

/** Asks another service about due events, and publishes again the events that it does not know. */
export async function reconcileStep(
  reconciliation: Reconciliation,
  { buckets, limit, now }: Step,
): Promise<Result<ProcessDueResult, Fault>> {
  const { collection } = reconciliation;
  const documents = await collection
    .find(dueFilter(buckets, now, reconciliationFields.at))
    .sort({ bucket: 1, [reconciliationFields.at]: 1 })
    .limit(limit)
    .toArray();
  const missing = await missingAmong(reconciliation, documents);
  if (!missing.ok) return missing;
  const count = { done: 0, skipped: 0, failed: 0 };
  const writes = [];
  for (const document of documents) {
    const lost = eventsToReconcile(document).filter(({ id }) => missing.value.has(id));
    const { outcome, pending } = await resendLost(reconciliation, document, lost, now);
    count[outcome] += 1;
    // If the record was saved in the meantime, this matches nothing and it is checked once more.
    const filter = { _id: document._id, version: document["version"] };
    writes.push({ updateOne: { filter, update: { $set: storedReconciliation(pending) } } });
  }
  if (writes.length > 0) await collection.bulkWrite(writes, { ordered: false });
  const dueTimes = documents.map((document) => (reconciliationOf(document)?.at ?? now).getTime());
  return ok({
    found: documents.length,
    ...count,
    oldest: documents.length === 0 ? null : new Date(Math.min(...dueTimes)).toISOString(),
    more: documents.length === limit,
  });
}

async function missingAmong(
  { missingOf }: Reconciliation,
  documents: readonly EventfulDocument[],
): Promise<Result<ReadonlySet<string>, Fault>> {
  const events = documents.flatMap((document) =>
    eventsToReconcile(document).map((event) => ({
      businessid: String(document.businessid),
      recordid: String(document._id),
      event,
    })),
  );
  const missing = new Set<string>();
  for (let from = 0; from < events.length; from += eventsPerRequestMax) {
    const answer = await missingOf(events.slice(from, from + eventsPerRequestMax));
    if (!answer.ok) return answer;
    for (const id of answer.value) missing.add(id);
  }
  return ok(missing);
}

/** The events of a record that are not known to have arrived. */
function eventsToReconcile(document: EventfulDocument): readonly StoredEvent[] {
  const pending = reconciliationOf(document);
  return document.events.filter(
    ({ type, at }) => reconciledEvents.includes(type) && pending && at >= pending.from,
  );
}

/** The first resend may concern events that are merely late; from the second on it is an error. */
async function resendLost(
  { service, wanted }: Reconciliation,
  document: EventfulDocument,
  lost: readonly StoredEvent[],
  now: Date,
): Promise<{
  outcome: "done" | "skipped" | "failed";
  pending: PendingReconciliation | null;
}> {
  const { log, metrics } = service;
  const before = reconciliationOf(document);
  if (lost.length === 0 || !before) {
    metrics.compared.inc({ wanted, outcome: "there" });
    return { outcome: "done", pending: null };
  }
  await service.outbox.republish(document, lost);
  const events = lost.map(({ id }) => id);
  const reason = `${wanted} is missing, of ${events.join(", ")}`;
  const pending = afterResend(before, reason, now);
  const fields = { recordid: String(document._id), resent: pending.resent, wanted, events };
  if (before.resent === 0) {
    metrics.compared.inc({ wanted, outcome: "sent_again" });
    log.warn(fields, "record missing in another service; events sent again");
    return { outcome: "skipped", pending };
  }
  metrics.compared.inc({ wanted, outcome: "missing" });
  const isParked = pending.at === null;
  log.error({ ...fields, isParked }, "record still missing in another service after a resend");
  return { outcome: "failed", pending };
}
