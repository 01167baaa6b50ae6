import type { Db } from "mongodb";
import { type Publisher, type PublisherOptions, keepCurrentPublisher } from "./publisher.ts";
import type { OutboxPosition } from "./outbox-position.ts";
import { openPublisherStore, type StoredPublisher } from "./stored-outbox.ts";

/** With more deferred positions the publisher is abandoned, and any process may sweep it. */
const deferredMax = 10_000;
const cachedMax = 1_000;

/**
 * All publishers of the database, as one process sees them. It owns the current one; the others
 * belong to other processes, to processes that have crashed, or were abandoned.
 */
export interface Publishers {
  /** The publisher to reserve positions from. */
  open(): Promise<Publisher>;
  /** Without a position nothing waits for publication. */
  isPublished(position: OutboxPosition | undefined): Promise<boolean>;
  /** False when another publisher owns the position: then only a mark on the record can say it. */
  complete(position: OutboxPosition): boolean;
  deferToSweep(position: OutboxPosition): void;
  /** Stops advancing a publisher whose writes may still appear. The sweep takes care of it. */
  abandon(publisher: Publisher): void;
  /** The positions of the current publisher that wait for the sweep. */
  readonly deferred: readonly OutboxPosition[];
  /** All but the current publisher. */
  others(): Promise<StoredPublisher[]>;
  /** Deletes a publisher that has nothing left to publish. */
  delete(publisher: StoredPublisher): Promise<void>;
  close(): Promise<void>;
}

export function openPublishers(db: Db, options: PublisherOptions): Publishers {
  const store = openPublisherStore(db);
  const current = keepCurrentPublisher(store, options);
  /** The highest watermark read so far, by publisher. */
  const watermarks = new Map<string, number>();

  async function isPublishedByOther({ publisherId, sequence }: OutboxPosition): Promise<boolean> {
    if (sequence <= (watermarks.get(publisherId) ?? 0)) return true;
    const found = await store.find(publisherId);
    const watermark = found ? found.watermark : Infinity;
    if (watermarks.size >= cachedMax) watermarks.clear();
    watermarks.set(publisherId, watermark);
    return sequence <= watermark;
  }

  return {
    open: () => current.open(),
    isPublished: async (position) => {
      if (position === undefined) return true;
      return current.now?.owns(position)
        ? current.now.isComplete(position)
        : isPublishedByOther(position);
    },
    complete: (position) => {
      if (!current.now?.owns(position)) return false;
      current.now.complete(position);
      return true;
    },
    deferToSweep: (position) => {
      const publisher = current.now;
      if (!publisher?.owns(position)) return;
      publisher.deferToSweep(position);
      if (publisher.deferredCount > deferredMax) current.abandon(publisher);
    },
    abandon: (publisher) => current.abandon(publisher),
    get deferred() {
      return current.now?.deferred ?? [];
    },
    others: () => store.findOthers(current.now?.id),
    delete: (publisher) => store.deleteUnchanged(publisher),
    close: () => current.close(),
  };
}
