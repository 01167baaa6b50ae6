import { ObjectId } from "mongodb";
import type { EventfulCollection } from "./event-document.ts";
import type { Relay } from "./relay.ts";

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
 * Publishes again what the documents remember since a moment: the way back after a lost stream. What
 * a crash left is published like any other, so that nothing of it waits for the sweep.
 * One bounded step; whoever asks goes on with the cursor until there is none.
 */
export async function resendEvents(
  collections: readonly EventfulCollection[],
  relay: Relay,
  { since, cursor }: ResendStep,
): Promise<{ sent: number; cursor: ResendCursor | null }> {
  const from = cursor
    ? collections.findIndex(({ collectionName }) => collectionName === cursor.collection)
    : 0;
  const collection = collections[from];
  if (!collection) return { sent: 0, cursor: null };
  const moment = new Date(since);
  const after = cursor?.after ? { _id: { $gt: new ObjectId(cursor.after) } } : {};
  const documents = await collection
    .find({ ...after, "events.at": { $gte: moment } })
    .sort({ _id: 1 })
    .limit(documentsMax)
    .toArray();
  let sent = 0;
  for (const document of documents) {
    const events = document.events.filter(({ at }) => at >= moment);
    await relay.publishAgain(document, events);
    if (!(await relay.tickets.isTold(document.ticket))) relay.hand(collection, document);
    sent += events.length;
  }
  await relay.flush();
  const last = documents.at(-1);
  if (last && documents.length === documentsMax) {
    return { sent, cursor: { collection: collection.collectionName, after: String(last._id) } };
  }
  const next = collections[from + 1];
  return { sent, cursor: next ? { collection: next.collectionName, after: null } : null };
}
