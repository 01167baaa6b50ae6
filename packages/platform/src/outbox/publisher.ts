import { type Clock, hourMs, minuteMs, secondMs } from "@malipo/core";
import type { Log } from "../logging/index.ts";
import { type OutboxPosition, newPublisherId } from "./outbox-position.ts";
import type { PublisherStore } from "./stored-outbox.ts";

/** The positions that one process has reserved for its writes, and which of them are complete. */
export interface Publisher {
  readonly id: string;
  reserve(): OutboxPosition;
  owns(position: OutboxPosition): boolean;
  /** The events at the position are published, or its write never happened. */
  complete(position: OutboxPosition): void;
  isComplete(position: OutboxPosition): boolean;
  /** Publishing failed, or the outcome of the write is unknown: the sweep looks for the record. */
  deferToSweep(position: OutboxPosition): void;
  readonly deferred: readonly OutboxPosition[];
  readonly deferredCount: number;
  readonly hasPending: boolean;
  /** Its sequence is nearly used up. */
  readonly isFull: boolean;
  /** All positions up to this sequence are complete. */
  readonly watermark: number;
}

/** Below the sequence that four bytes can hold (4,294,967,295). */
const reservedMax = 4_000_000_000;

export function createPublisher(id: string, fullAt = reservedMax): Publisher {
  let last = 0;
  // A set keeps the order of insertion: the first element is the oldest pending sequence.
  const pending = new Set<number>();
  const deferred = new Set<number>();

  return {
    id,
    reserve: () => {
      last += 1;
      pending.add(last);
      return { publisherId: id, sequence: last };
    },
    owns: ({ publisherId }) => publisherId === id,
    complete: ({ sequence }) => {
      pending.delete(sequence);
      deferred.delete(sequence);
    },
    isComplete: ({ sequence }) => !pending.has(sequence),
    deferToSweep: ({ sequence }) => {
      if (pending.has(sequence)) deferred.add(sequence);
    },
    get deferred() {
      return [...deferred].map((sequence) => ({ publisherId: id, sequence }));
    },
    get deferredCount() {
      return deferred.size;
    },
    get hasPending() {
      return pending.size > 0;
    },
    get isFull() {
      return last >= fullAt;
    },
    get watermark() {
      const [oldest] = pending;
      return oldest === undefined ? last : oldest - 1;
    },
  };
}

/**
 * The watermark is stored this often. Events beyond the stored watermark are published twice when
 * the process crashes, or when another process changes their record.
 */
const storeEveryMs = 50;
const idleSignOfLifeMs = 10 * minuteMs;
/** While a write or a publication is under way, so that other processes leave it alone. */
const busySignOfLifeMs = secondMs;
/** No write or publication takes longer; a publisher that is stuck for longer counts as idle. */
const busyMaxMs = minuteMs;
/** The sweep deletes a publisher that showed no sign of life for so long and has nothing left. */
export const deletedAfterMs = hourMs;
/** After a longer sleep the sweep of another process may be about to delete the publisher. */
const sleepMaxMs = deletedAfterMs / 2;

export interface PublisherOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** A clock that never goes back. */
  readonly uptimeMs: () => number;
  /** From this number of positions on a publisher is full. */
  readonly positionsMax?: number | undefined;
}

/** The publisher from which this process reserves positions at present. */
export interface CurrentPublisher {
  /** Undefined until one is needed. */
  readonly now: Publisher | undefined;
  /** Creates and stores a publisher if there is none. */
  open(): Promise<Publisher>;
  /** Reserves from another publisher from now on. */
  abandon(publisher: Publisher): void;
  close(): Promise<void>;
}

export function keepCurrentPublisher(
  store: PublisherStore,
  { clock, log, uptimeMs, positionsMax }: PublisherOptions,
): CurrentPublisher {
  let opening: Promise<Publisher> | undefined;
  let current: Publisher | undefined;
  let stored = { watermark: 0, atMs: 0, isUnderWay: false };
  const isBusy = watchProgress();
  const timer = setInterval(() => void storeCurrent(), storeEveryMs).unref();

  async function start(): Promise<Publisher> {
    const publisher = createPublisher(newPublisherId(clock()), positionsMax);
    stored = { watermark: 0, atMs: uptimeMs(), isUnderWay: false };
    await store.insert({ id: publisher.id, watermark: 0, lastSignOfLife: clock() });
    current = publisher;
    return publisher;
  }

  function forgetCurrent() {
    current = undefined;
    opening = undefined;
  }

  function abandon(publisher: Publisher) {
    if (current?.id !== publisher.id) return;
    log.info({ publisher: publisher.id }, "outbox publisher abandoned");
    forgetCurrent();
    // If this write fails, the stored watermark is a little lower than it could be. A publisher that
    // was deleted is created again: only its document leads the sweep to the writes that were under
    // way while this process slept.
    void store.raise(storedFrom(publisher, clock()), { upsert: true }).catch(() => {});
  }

  async function storeCurrent(): Promise<void> {
    if (!current || stored.isUnderWay) return;
    const [publisher, watermark, atMs] = [current, current.watermark, uptimeMs()];
    const signOfLifeMs = isBusy(publisher, atMs) ? busySignOfLifeMs : idleSignOfLifeMs;
    if (watermark === stored.watermark && atMs - stored.atMs < signOfLifeMs) return;
    stored.isUnderWay = true;
    try {
      const isThere = await store.raise(storedFrom(publisher, clock()));
      if (!isThere) abandon(publisher);
      else if (current === publisher) stored = { ...stored, watermark, atMs };
    } catch {
      // The next interval tries again. A watermark that is too low only means publishing twice.
    } finally {
      stored.isUnderWay = false;
    }
  }

  return {
    get now() {
      return current;
    },
    open: () => {
      if (current && (current.isFull || uptimeMs() - stored.atMs > sleepMaxMs)) abandon(current);
      return (opening ??= start().catch((error: unknown) => {
        forgetCurrent();
        throw error;
      }));
    },
    abandon,
    close: async () => {
      clearInterval(timer);
      const publisher = current;
      forgetCurrent();
      if (publisher) await end(store, publisher, clock());
    },
  };
}

/** A publisher that is not in the store has nothing left to publish. */
async function end(store: PublisherStore, publisher: Publisher, now: Date): Promise<void> {
  if (publisher.hasPending) await store.raise(storedFrom(publisher, now));
  else await store.delete(publisher.id);
}

function storedFrom({ id, watermark }: Publisher, lastSignOfLife: Date) {
  return { id, watermark, lastSignOfLife };
}

/**
 * Tells whether a publisher has something under way. Positions that are deferred to the sweep do not
 * count: other processes may try to publish them.
 */
function watchProgress() {
  let last = { id: "", watermark: 0, sinceMs: 0 };
  return (publisher: Publisher, nowMs: number): boolean => {
    const { id, watermark } = publisher;
    const hasMoved = !publisher.hasPending || id !== last.id || watermark !== last.watermark;
    if (hasMoved) last = { id, watermark, sinceMs: nowMs };
    return (
      publisher.hasPending && publisher.deferredCount === 0 && nowMs - last.sinceMs < busyMaxMs
    );
  };
}
