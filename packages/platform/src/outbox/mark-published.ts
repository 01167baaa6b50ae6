import { isStoreAway } from "../mongo/index.ts";
import type { EventfulCollection, EventfulDocument } from "./event-document.ts";
import { withoutPosition } from "./stored-outbox.ts";

/** The event up to which a record is published. */
export type PublishedMark = Pick<EventfulDocument, "_id" | "seq">;

/** Marks records as published where no watermark says it. */
export async function markPublished(
  collection: EventfulCollection,
  marks: readonly PublishedMark[],
): Promise<void> {
  try {
    await writeMarks(collection, marks);
  } catch (error) {
    // The driver does not retry writes of many documents. This one is idempotent.
    if (!isStoreAway(error)) throw error;
    await writeMarks(collection, marks);
  }
}

/** One statement for all records with the same sequence number: most have their first event only. */
async function writeMarks(collection: EventfulCollection, marks: readonly PublishedMark[]) {
  const filters = [...Map.groupBy(marks, ({ seq }) => seq)].map(([seq, ofSeq]) => ({
    seq,
    _id: { $in: ofSeq.map(({ _id }) => _id) },
  }));
  const { matchedCount } = await collection.bulkWrite(
    filters.map((filter) => ({
      updateMany: {
        filter,
        update: { $set: { published: filter.seq }, $unset: withoutPosition },
      },
    })),
    { ordered: false },
  );
  if (matchedCount === marks.length) return;
  // Some records have newer events, which their own writers publish: those keep their position.
  await collection.bulkWrite(
    filters.map(({ _id, seq }) => ({
      updateMany: { filter: { _id }, update: { $max: { published: seq } } },
    })),
    { ordered: false },
  );
}
