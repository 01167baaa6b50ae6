import { reconciledEvents, type ProcessDueResult } from "@malipo/contracts";
import { type Fault, ok, type Result } from "@malipo/core";
import { type Comparison, sentAgain } from "./comparison.ts";
import { dueFilter } from "../mongo/due.ts";
import type {
  EventfulCollection,
  EventfulDocument,
  StoredEvent,
} from "../outbox/event-document.ts";
import type { Service } from "../service/service.ts";

/** So many questions in one request. */
const askedMax = 500;

/** Something that a record told, and that another service should have made a record of. */
export interface Told {
  readonly businessid: string;
  readonly recordid: string;
  readonly event: StoredEvent;
}

interface Comparing {
  readonly service: Pick<Service, "relay" | "log" | "metrics">;
  readonly collection: EventfulCollection;
  /** What should be there, in words. */
  readonly wanted: string;
  /** The ids of those events of which the other service knows nothing. */
  readonly missingOf: (told: readonly Told[]) => Promise<Result<ReadonlySet<string>, Fault>>;
}

interface Step {
  readonly buckets: readonly number[];
  readonly limit: number;
  readonly now: Date;
}

/** From the start on there is a number to compare with: what first appears as 1 has not increased. */
export function countComparedFromZero({ metrics }: Pick<Service, "metrics">, wanted: string): void {
  for (const outcome of ["there", "sent_again", "missing"]) {
    metrics.compared.inc({ wanted, outcome }, 0);
  }
}

/** Asks another service for what it should have made of these events, and sends again what it lacks. */
export async function compareStep(
  comparing: Comparing,
  { buckets, limit, now }: Step,
): Promise<Result<ProcessDueResult, Fault>> {
  const { collection } = comparing;
  const documents = await collection
    .find(dueFilter(buckets, now, "compare.at"))
    .sort({ bucket: 1, "compare.at": 1 })
    .limit(limit)
    .toArray();
  const missing = await missingAmong(comparing, documents);
  if (!missing.ok) return missing;
  const count = { done: 0, skipped: 0, failed: 0 };
  const writes = [];
  for (const document of documents) {
    const lost = toldBy(document).filter(({ id }) => missing.value.has(id));
    const { outcome, compare } = await heal(comparing, document, lost, now);
    count[outcome] += 1;
    // Whoever saves it meanwhile writes down that it is to be compared: then it is, once more.
    const filter = { _id: document._id, version: document["version"] };
    writes.push({ updateOne: { filter, update: { $set: { compare } } } });
  }
  if (writes.length > 0) await collection.bulkWrite(writes, { ordered: false });
  const oldest = documents.map(({ compare }) => compare?.at?.getTime() ?? now.getTime());
  return ok({
    found: documents.length,
    ...count,
    oldest: documents.length === 0 ? null : new Date(Math.min(...oldest)).toISOString(),
    more: documents.length === limit,
  });
}

async function missingAmong(
  { missingOf }: Comparing,
  documents: readonly EventfulDocument[],
): Promise<Result<ReadonlySet<string>, Fault>> {
  const told = documents.flatMap((document) =>
    toldBy(document).map((event) => ({
      businessid: String(document.businessid),
      recordid: String(document._id),
      event,
    })),
  );
  const missing = new Set<string>();
  for (let from = 0; from < told.length; from += askedMax) {
    const asked = await missingOf(told.slice(from, from + askedMax));
    if (!asked.ok) return asked;
    for (const id of asked.value) missing.add(id);
  }
  return ok(missing);
}

function toldBy({ events, compare }: EventfulDocument): readonly StoredEvent[] {
  return events.filter(
    ({ type, at }) => reconciledEvents.includes(type) && compare && at >= compare.from,
  );
}

/** The first time it may just be late; from then on somebody should know. */
async function heal(
  { service, wanted }: Comparing,
  document: EventfulDocument,
  lost: readonly StoredEvent[],
  now: Date,
): Promise<{ outcome: "done" | "skipped" | "failed"; compare: Comparison | null }> {
  const { relay, log, metrics } = service;
  const before = document.compare;
  if (lost.length === 0 || !before) {
    metrics.compared.inc({ wanted, outcome: "there" });
    return { outcome: "done", compare: null };
  }
  await relay.publishAgain(document, lost);
  const reason = `${wanted} is missing, of ${lost.map(({ id }) => id).join(", ")}`;
  const compare = sentAgain(before, reason, now);
  const about = { recordid: String(document._id), resent: compare.resent, wanted };
  if (before.resent === 0) {
    metrics.compared.inc({ wanted, outcome: "sent_again" });
    log.warn({ ...about, events: lost.map(({ id }) => id) }, "missing elsewhere; sent again");
    return { outcome: "skipped", compare };
  }
  metrics.compared.inc({ wanted, outcome: "missing" });
  const next = compare.at === null ? "given up" : "sent once more";
  log.error(
    { ...about, events: lost.map(({ id }) => id) },
    `still missing elsewhere after it was sent again: ${next}`,
  );
  return { outcome: "failed", compare };
}
