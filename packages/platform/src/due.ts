import type { Document } from "mongodb";
import type { EventfulCollection } from "./events.ts";
import { withoutHistory } from "./find-together.ts";

/** What has a due date, by the share of a worker. */
export const dueIndex = {
  key: { bucket: 1, dueat: 1 },
  name: "due",
  partialFilterExpression: { dueat: { $gt: new Date(0) } },
} as const;

/** What is due in these buckets, of all businesses, in each the oldest first. */
export function dueIn(
  collection: EventfulCollection,
  buckets: readonly number[],
  now: Date,
  limit: number,
): Promise<Document[]> {
  return collection
    .find({ bucket: { $in: buckets }, dueat: { $gt: new Date(0), $lte: now } }, withoutHistory)
    .sort({ bucket: 1, dueat: 1 })
    .limit(limit)
    .toArray();
}
