import type { EventfulCollection } from "./events.ts";
import type { Relay } from "./relay.ts";

/**
 * Publishes again what the documents remember since a moment: the way back after a lost stream.
 * Yields how many events went out so far, so that a caller can show progress.
 */
export async function* resendEvents(
  collection: EventfulCollection,
  relay: Relay,
  since: Date,
): AsyncGenerator<number> {
  let sent = 0;
  for await (const document of collection.find({ "events.at": { $gte: since } }).sort({ _id: 1 })) {
    const events = document.events.filter(({ at }) => at >= since);
    await relay.publishAgain(document, events);
    sent += events.length;
    yield sent;
  }
}
