import type { Document } from "mongodb";
import type { EventfulCollection } from "../outbox/event-document.ts";
import { withoutHistory } from "../records/find-together.ts";

/** Before any date that somebody may have meant, or mistyped. */
const anyDate = { $gt: new Date("-000001-01-01T00:00:00Z") } as const;

/** What has a due date, by the share of a worker. */
export const dueIndex = dueIndexOf("dueat", "due");

export function dueIndexOf(field: string, name: string) {
  return {
    key: { bucket: 1, [field]: 1 },
    name,
    partialFilterExpression: { [field]: anyDate },
  } as const;
}

/** What is due in these buckets; it repeats the condition of the index. */
export function dueFilter(buckets: readonly number[], now: Date, field = "dueat") {
  return { bucket: { $in: buckets }, [field]: { ...anyDate, $lte: now } };
}

/** What is due in these buckets, of all businesses, in each the oldest first. */
export function dueIn(
  collection: EventfulCollection,
  buckets: readonly number[],
  now: Date,
  limit: number,
): Promise<Document[]> {
  return collection
    .find(dueFilter(buckets, now), withoutHistory)
    .sort({ bucket: 1, dueat: 1 })
    .limit(limit)
    .toArray();
}
