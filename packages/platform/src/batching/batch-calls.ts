import { setTimeout as sleep } from "node:timers/promises";
import DataLoader from "dataloader";
import { isWorthGathering } from "./is-worth-gathering.ts";

const gatherMs = 3;

/**
 * Answers a whole batch: one outcome for each item, in the order of the items. An outcome that is an
 * `Error` rejects the call of its item only; a rejection rejects all calls of the batch.
 */
export type HandleBatch<Item, Outcome> = (
  items: readonly Item[],
) => Promise<readonly (Outcome | Error)[]>;

/** A function that looks like a call for one item and is carried out with others of its kind. */
export type BatchedCall<Item, Outcome> = (item: Item) => Promise<Outcome>;

/** Carries out the calls of one event-loop turn together. Batches do not wait for each other. */
export function togetherEachTurn<Item, Outcome>(
  sizeMax: number,
  handle: HandleBatch<Item, Outcome>,
): BatchedCall<Item, Outcome> {
  const loader = new DataLoader<Item, Outcome>(handle, {
    cache: false,
    maxBatchSize: sizeMax,
    batchScheduleFn: (dispatch) => void setImmediate(dispatch),
  });
  return (item) => loader.load(item);
}

/**
 * Carries out the calls of one turn together, then all calls that arrived while that batch ran: the
 * higher the load, the larger the batches. After a batch of several the next one waits a few
 * milliseconds for more, because a batch costs as much as several items.
 */
export function batchCalls<Item, Outcome>(
  sizeMax: number,
  handle: HandleBatch<Item, Outcome>,
  gather: () => Promise<unknown> = () => sleep(gatherMs),
): BatchedCall<Item, Outcome> {
  const waiting: (() => void)[] = [];
  let isRunning = false;

  function dispatchNext(): void {
    const dispatch = waiting.shift();
    if (dispatch) dispatch();
    else isRunning = false;
  }

  async function endBatch(size: number): Promise<void> {
    if (isWorthGathering(size, sizeMax)) await gather();
    dispatchNext();
  }

  const loader = new DataLoader<Item, Outcome>(
    async (items) => {
      try {
        return await handle(items);
      } finally {
        void endBatch(items.length);
      }
    },
    {
      cache: false,
      maxBatchSize: sizeMax,
      // A batch that is not dispatched yet keeps taking items until it is full.
      batchScheduleFn: (dispatch) => {
        waiting.push(dispatch);
        if (isRunning) return;
        isRunning = true;
        setImmediate(dispatchNext);
      },
    },
  );
  return (item) => loader.load(item);
}
