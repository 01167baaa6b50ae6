import { setTimeout as sleep } from "node:timers/promises";
import { isWorthGathering } from "./batch-calls.ts";

const batchMax = 200;
const queueMax = 10_000;
/** From this length on, producers that wait for room are held back. */
const crowdedFrom = 2 * batchMax;
const gatherMs = 5;
/** While the last answers of one batch are awaited, the next batch runs. */
const concurrencyMax = 2;

/** A bounded queue whose items are handled in batches, in their order. */
export interface BatchQueue<Item> {
  /** False when the queue is full: the item was not taken. */
  readonly put: (item: Item) => boolean;
  /** Resolves when the queue is short, so that a producer of many items does not run far ahead. */
  readonly waitForRoom: () => Promise<void>;
  /** Resolves when all items put in before this call are handled; later items do not delay it. */
  readonly flush: () => Promise<void>;
}

/** A second batch runs beside the first one only when it is full. `handle` never rejects. */
export function openBatchQueue<Item>(
  handle: (batch: readonly Item[]) => Promise<void>,
): BatchQueue<Item> {
  let queue: Item[] = [];
  let workers = 0;
  let startedCount = 0;
  const running = new Set<Promise<void>>();
  let progress = Promise.withResolvers<void>();

  function signalProgress() {
    progress.resolve();
    progress = Promise.withResolvers();
  }

  async function work() {
    // Items that are put in one after another in the same turn share a batch.
    await Promise.resolve();
    do {
      const batch = queue.slice(0, batchMax);
      queue = queue.slice(batchMax);
      startedCount += batch.length;
      const handling = handle(batch);
      running.add(handling);
      await handling;
      running.delete(handling);
      signalProgress();
      const isOnlyWorker = workers === 1;
      if (isOnlyWorker && isWorthGathering(batch.length, batchMax)) await sleep(gatherMs);
    } while (queue.length >= (workers > 1 ? batchMax : 1));
    workers -= 1;
    signalProgress();
  }

  return {
    put: (item) => {
      if (queue.length >= queueMax) return false;
      queue.push(item);
      if (workers === 0 || (workers < concurrencyMax && queue.length >= batchMax)) {
        workers += 1;
        void work();
      }
      return true;
    },
    waitForRoom: async () => {
      while (queue.length >= crowdedFrom) await progress.promise;
    },
    flush: async () => {
      const flushedCount = startedCount + queue.length;
      const isWaiting = () => startedCount < flushedCount;
      while (isWaiting()) await progress.promise;
      await Promise.all(running);
    },
  };
}
