import { setTimeout as sleep } from "node:timers/promises";
import { addMs, type Clock, minuteMs, secondMs } from "@malipo/core";
import type { Log } from "../logging/index.ts";
import type { Metrics } from "../metrics/index.ts";
import { deletedAfterMs } from "./publisher.ts";
import { type EventfulCollection, type EventfulDocument, unpublishedOf } from "./event-document.ts";
import type { OutboxPosition } from "./outbox-position.ts";
import type { Publishers } from "./publishers.ts";
import type { Relay } from "./relay.ts";
import {
  atPositions,
  beyondWatermark,
  inPositionOrder,
  positionOf,
  positionOnly,
  type StoredPublisher,
} from "./stored-outbox.ts";

const roundEveryMs = 2 * secondMs;
const batchMax = 200;
const recordsMax = 10_000;
/** Younger records are still with the process that wrote them. */
const minAgeMs = 5 * secondMs;
/** A publisher without a sign of life for longer is swept in every thirtieth round only. */
const recentMs = minuteMs;
const rareEvery = 30;

export interface SweepOptions {
  readonly relay: Relay;
  readonly publishers: Publishers;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly uptimeMs: () => number;
  readonly log: Log;
}

/** Sweeps now and again until the signal is aborted. */
export async function runSweep(
  collections: readonly EventfulCollection[],
  options: SweepOptions,
  signal: AbortSignal,
): Promise<void> {
  const sweepRound = openSweep(collections, options);
  while (!signal.aborted) {
    await sweepRound().catch((error: unknown) => {
      options.log.warn({ err: error }, "outbox sweep failed");
    });
    await sleep(roundEveryMs, undefined, { signal }).catch(() => {});
  }
}

interface Round {
  readonly collections: readonly EventfulCollection[];
  readonly relay: Relay;
  readonly publishers: Publishers;
  readonly now: Date;
  /** When the oldest unpublished event of this round was caused. */
  oldest: Date | undefined;
}

/**
 * Publishes events that this process deferred, and events that silent publishers left behind. Each
 * call of the result is one round.
 */
export function openSweep(
  collections: readonly EventfulCollection[],
  { relay, publishers, metrics, clock, uptimeMs }: SweepOptions,
): () => Promise<void> {
  const measureSilence = openSilenceMeter(uptimeMs);
  let roundCount = 0;
  let oldestOfRareRound: Date | undefined;

  return async () => {
    const now = clock();
    const round: Round = { collections, relay, publishers, now, oldest: undefined };
    await sweepDeferred(round);
    for (const silence of measureSilence(await publishers.others(), now)) {
      const { publisher, silentMs, observedMs } = silence;
      const isRare = silentMs > recentMs;
      if (silentMs < minAgeMs || (isRare && roundCount % rareEvery > 0)) continue;
      const isEmpty = await sweepPublisher(round, publisher);
      if (isEmpty && observedMs > deletedAfterMs) await publishers.delete(publisher);
    }
    // Only rare rounds see all publishers. Their result counts until the next one, because an alert
    // on this metric waits longer than a round.
    if (roundCount % rareEvery === 0) oldestOfRareRound = round.oldest;
    roundCount += 1;
    const oldestMs = Math.min(...[now, round.oldest ?? now, oldestOfRareRound ?? now].map(Number));
    metrics.unpublishedOldestSeconds.value = (now.getTime() - oldestMs) / secondMs;
  };
}

interface Silence {
  readonly publisher: StoredPublisher;
  /** Since its last sign of life; the clocks of two processes are compared. */
  readonly silentMs: number;
  /** For how long this process has seen no change. */
  readonly observedMs: number;
}

/** Measures for how long each publisher has not changed. */
function openSilenceMeter(uptimeMs: () => number) {
  let observed = new Map<
    string,
    { readonly publisher: StoredPublisher; readonly sinceMs: number }
  >();
  return (publishers: readonly StoredPublisher[], now: Date): Silence[] => {
    const nowMs = uptimeMs();
    const before = observed;
    observed = new Map(
      publishers.map((publisher) => {
        const known = before.get(publisher.id);
        const isSilent =
          known?.publisher.watermark === publisher.watermark &&
          known.publisher.lastSignOfLife >= publisher.lastSignOfLife;
        return [publisher.id, { publisher, sinceMs: isSilent ? known.sinceMs : nowMs }];
      }),
    );
    return [...observed.values()].map(({ publisher, sinceMs }) => {
      const observedMs = nowMs - sinceMs;
      const byClocksMs = now.getTime() - publisher.lastSignOfLife.getTime();
      return { publisher, observedMs, silentMs: Math.max(observedMs, byClocksMs) };
    });
  };
}

/** The positions of this process that were not published, or whose write had no clear outcome. */
async function sweepDeferred(round: Round): Promise<void> {
  const { collections, relay, publishers } = round;
  const deferred = publishers.deferred.slice(0, recordsMax);
  const missing = new Map(deferred.map((position) => [position.sequence, position]));
  for (let from = 0; from < deferred.length; from += batchMax) {
    const batch = deferred.slice(from, from + batchMax);
    for (const collection of collections) {
      for (const document of await collection.find(atPositions(batch)).toArray()) {
        missing.delete(positionOf(document)?.sequence ?? 0);
        publishFound(round, collection, document);
      }
    }
    await relay.flush();
  }
  await removeUnconfirmed(collections, missing);
  // No record is at these positions: it was written again since, or its write never happened.
  for (const position of missing.values()) publishers.complete(position);
}

/**
 * A majority read may not see a write yet that a majority has, for a moment after an election. So a
 * position counts as missing only if no local read finds it either.
 */
async function removeUnconfirmed(
  collections: readonly EventfulCollection[],
  missing: Map<number, OutboxPosition>,
): Promise<void> {
  for (const collection of collections) {
    if (missing.size === 0) return;
    const documents = collection.find(atPositions([...missing.values()]), {
      ...positionOnly,
      readConcern: { level: "local" },
    });
    for await (const document of documents) missing.delete(positionOf(document)?.sequence ?? 0);
  }
}

/** Reads all records that are old enough: one that cannot be published does not block the others. */
async function sweepPublisher(round: Round, publisher: StoredPublisher): Promise<boolean> {
  const { collections, relay, now } = round;
  let found = 0;
  for (const collection of collections) {
    const documents = collection
      .find(beyondWatermark(publisher))
      .sort(inPositionOrder)
      .limit(recordsMax)
      .batchSize(batchMax);
    for await (const document of documents) {
      found += 1;
      const newest = document.events.at(-1);
      if (newest && newest.at > addMs(now, -minAgeMs)) continue;
      publishFound(round, collection, document);
      if (found % batchMax === 0) await relay.flush();
    }
  }
  await relay.flush();
  return found === 0;
}

function publishFound(
  round: Round,
  collection: EventfulCollection,
  document: EventfulDocument,
): void {
  const [oldest] = unpublishedOf(document);
  if (oldest && !(round.oldest && round.oldest <= oldest.at)) round.oldest = oldest.at;
  round.relay.enqueue(collection, document);
}
