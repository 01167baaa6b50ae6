import { setTimeout as sleep } from "node:timers/promises";
import { isWorthGathering } from "./turn.ts";

const batchMax = 200;
const queueMax = 10_000;
/** So many that wait are enough to be at work with. */
const crowdMax = 2 * batchMax;
const gatherMs = 5;
/** While the last words of one batch are waited for, the next one is begun. */
const batchesAtOnce = 2;

/** Takes things one by one and works them off in batches. */
export interface BatchQueue<Item> {
  /** False when too many wait already: it was not taken. */
  readonly put: (item: Item) => boolean;
  /** Resolves when few wait, so that whoever puts in many does not run far ahead. */
  readonly room: () => Promise<void>;
  /** Resolves when all that was put in before has been worked off, whatever comes meanwhile. */
  readonly flush: () => Promise<void>;
}

/** A second batch is begun beside the first only when it is full. `handle` never rejects. */
export function openBatchQueue<Item>(
  handle: (batch: readonly Item[]) => Promise<void>,
): BatchQueue<Item> {
  let queue: Item[] = [];
  let workers = 0;
  let begun = 0;
  const inHand = new Set<Promise<void>>();
  let progress = Promise.withResolvers<void>();

  function tellProgress() {
    progress.resolve();
    progress = Promise.withResolvers();
  }

  async function work() {
    // What is put in together leaves together.
    await Promise.resolve();
    do {
      const batch = queue.slice(0, batchMax);
      queue = queue.slice(batchMax);
      begun += batch.length;
      const handling = handle(batch);
      inHand.add(handling);
      await handling;
      inHand.delete(handling);
      tellProgress();
      const isAlone = workers === 1;
      if (isAlone && isWorthGathering(batch.length, batchMax)) await sleep(gatherMs);
    } while (queue.length >= (workers > 1 ? batchMax : 1));
    workers -= 1;
    tellProgress();
  }

  return {
    put: (item) => {
      if (queue.length >= queueMax) return false;
      queue.push(item);
      if (workers === 0 || (workers < batchesAtOnce && queue.length >= batchMax)) {
        workers += 1;
        void work();
      }
      return true;
    },
    room: async () => {
      while (queue.length >= crowdMax) await progress.promise;
    },
    flush: async () => {
      const last = begun + queue.length;
      const isWaiting = () => begun < last;
      while (isWaiting()) await progress.promise;
      await Promise.all(inHand);
    },
  };
}
