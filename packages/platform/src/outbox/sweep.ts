import { addMs, type Clock, minuteMs, secondMs } from "@malipo/core";
import type { ObjectId } from "mongodb";
import { type EventfulCollection, type EventfulDocument, unpublishedOf } from "./event-document.ts";
import type { Metrics } from "../metrics/index.ts";
import type { Relay } from "./relay.ts";
import { ticketsAfter } from "./outbox-position.ts";
import { abandonedAfterMs, type BookDocument } from "./current-publisher.ts";

const batchMax = 200;
const sweptMax = 10_000;
/** What is younger is still in the hands of the process that wrote it. */
const sweepAgeMs = 5 * secondMs;
/** Books in which nothing changed for longer are looked at in every thirtieth round only. */
const recentMs = minuteMs;
const seldom = 30;

interface Sweep {
  readonly collections: readonly EventfulCollection[];
  readonly relay: Relay;
  readonly now: Date;
  /** Since when the oldest of all that was found waits; undefined when nothing was. */
  oldest: Date | undefined;
}

export interface SweepOptions {
  readonly relay: Relay;
  readonly metrics: Metrics;
  readonly clock: Clock;
}

/** The rounds of a sweep: what this process could not publish, and what others have left. */
export function openSweep(
  collections: readonly EventfulCollection[],
  { relay, metrics, clock }: SweepOptions,
): () => Promise<void> {
  const silenceOf = measureSilence();
  let round = 0;
  let oldestOfAll: Date | undefined;

  return async () => {
    const now = clock();
    const sweep: Sweep = { collections, relay, now, oldest: undefined };
    await sweepOwn(sweep);
    for (const { book, silentMs, watchedMs } of silenceOf(await relay.tickets.others(), now)) {
      if (silentMs < sweepAgeMs || (silentMs > recentMs && round % seldom > 0)) continue;
      const isEmpty = await sweepBook(sweep, book);
      if (isEmpty && watchedMs > abandonedAfterMs) await relay.tickets.forget(book);
    }
    // What only such a round sees counts until the next one: an alert waits longer than a round.
    if (round % seldom === 0) oldestOfAll = sweep.oldest;
    round += 1;
    const oldest = Math.min(...[now, sweep.oldest ?? now, oldestOfAll ?? now].map(Number));
    metrics.unpublishedOldestSeconds.value = (now.getTime() - oldest) / secondMs;
  };
}

interface Silence {
  readonly book: BookDocument;
  /** By what its process said last, with the clocks of both. */
  readonly silentMs: number;
  /** As seen from here. */
  readonly watchedMs: number;
}

/** For how long nothing has changed in a book. */
function measureSilence() {
  let seen = new Map<string, { readonly book: BookDocument; readonly since: number }>();
  return (books: readonly BookDocument[], now: Date): Silence[] => {
    const present = performance.now();
    const before = seen;
    seen = new Map(
      books.map((book) => {
        const known = before.get(book._id);
        const isSilent = known?.book.upto === book.upto && known.book.at >= book.at;
        return [book._id, { book, since: isSilent ? known.since : present }];
      }),
    );
    return [...seen.values()].map(({ book, since }) => {
      const watchedMs = present - since;
      return { book, watchedMs, silentMs: Math.max(watchedMs, now.getTime() - book.at.getTime()) };
    });
  };
}

async function sweepOwn(sweep: Sweep): Promise<void> {
  const { collections, relay } = sweep;
  const left = relay.tickets.left.slice(0, sweptMax);
  const missing = new Map(left.map((ticket) => [ticket.toHexString(), ticket]));
  for (let at = 0; at < left.length; at += batchMax) {
    const $in = left.slice(at, at + batchMax);
    for (const collection of collections) {
      for (const document of await collection.find({ ticket: { $in } }).toArray()) {
        missing.delete(document.ticket?.toHexString() ?? "");
        handOver(sweep, collection, document);
      }
    }
    await relay.flush();
  }
  await seeUnconfirmed(collections, missing);
  // Those records have been written again since, under other tickets, or never were.
  for (const ticket of missing.values()) relay.tickets.done(ticket);
}

/** After an election, what a majority has may not be known to be had by it for a moment. */
async function seeUnconfirmed(
  collections: readonly EventfulCollection[],
  missing: Map<string, ObjectId>,
): Promise<void> {
  for (const collection of collections) {
    if (missing.size === 0) return;
    const documents = collection.find(
      { ticket: { $in: [...missing.values()] } },
      { projection: { ticket: 1 }, readConcern: { level: "local" } },
    );
    for await (const { ticket } of documents) missing.delete(ticket?.toHexString() ?? "");
  }
}

/** Goes through all that is old enough, so that what cannot be published stands in nobody's way. */
async function sweepBook(sweep: Sweep, { _id, upto }: BookDocument): Promise<boolean> {
  const { collections, relay, now } = sweep;
  let found = 0;
  for (const collection of collections) {
    const documents = collection
      .find({ ticket: ticketsAfter(_id, upto) })
      .sort({ ticket: 1 })
      .limit(sweptMax)
      .batchSize(batchMax);
    for await (const document of documents) {
      found += 1;
      const newest = document.events.at(-1);
      if (newest && newest.at > addMs(now, -sweepAgeMs)) continue;
      handOver(sweep, collection, document);
      if (found % batchMax === 0) await relay.flush();
    }
  }
  await relay.flush();
  return found === 0;
}

function handOver(sweep: Sweep, collection: EventfulCollection, document: EventfulDocument): void {
  const [waiting] = unpublishedOf(document);
  if (waiting && !(sweep.oldest && sweep.oldest <= waiting.at)) sweep.oldest = waiting.at;
  sweep.relay.hand(collection, document);
}
