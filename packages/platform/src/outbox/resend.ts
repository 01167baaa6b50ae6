import { ObjectId } from "mongodb";
import type { EventfulCollection } from "./event-document.ts";
import type { Outbox } from "./outbox.ts";

const documentsMax = 200;

export interface ResendCursor {
  readonly collection: string;
  readonly after: string | null;
}

export interface ResendStep {
  readonly since: string;
  readonly cursor?: ResendCursor | undefined;
}

/**
 * Publishes again all events that the records hold since a moment: the repair after a lost stream.
 * Events that a crash left unpublished are published as usual, so that they need not wait for the
 * sweep. Each call is one bounded step; the caller continues with the cursor until there is none.
 */
export async function resendEvents(
  collections: readonly EventfulCollection[],
  outbox: Outbox,
  { since, cursor }: ResendStep,
): Promise<{ sent: number; cursor: ResendCursor | null }> {
  const position = cursor
    ? collections.findIndex(({ collectionName }) => collectionName === cursor.collection)
    : 0;
  const collection = collections[position];
  if (!collection) return { sent: 0, cursor: null };
  const from = new Date(since);
  const after = cursor?.after ? { _id: { $gt: new ObjectId(cursor.after) } } : {};
  const documents = await collection
    .find({ ...after, "events.at": { $gte: from } })
    .sort({ _id: 1 })
    .limit(documentsMax)
    .toArray();
  let sent = 0;
  for (const document of documents) {
    const events = document.events.filter(({ at }) => at >= from);
    await outbox.republish(document, events);
    await outbox.publishIfPending(collection, document);
    sent += events.length;
  }
  await outbox.flush();
  const last = documents.at(-1);
  if (last && documents.length === documentsMax) {
    return { sent, cursor: { collection: collection.collectionName, after: String(last._id) } };
  }
  const next = collections[position + 1];
  return { sent, cursor: next ? { collection: next.collectionName, after: null } : null };
}
