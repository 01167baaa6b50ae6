import DataLoader from "dataloader";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * True after a batch of several items that left room for more: under such a load it pays to wait a
 * moment, so that the next batch is larger.
 */
export function isWorthGathering(size: number, sizeMax: number): boolean {
  return size >= 4 && size < sizeMax / 2;
}

/**
 * How many messages leave in one write. With larger writes the receiving process is idle until this
 * process has finished all of them, and then this process is idle until the receiver has.
 */
export const messagesPerWriteMax = 16;

/**
 * Collects the items of one event-loop turn and handles them as one batch. A single item waits no
 * longer than the turn takes. A full batch is handled at once.
 *
 * For items without an answer, such as messages to send. Calls that wait for an answer use
 * `batchCalls` or `batchCallsPerTick`.
 */
export function batchPerTick<Item>(
  sizeMax: number,
  handle: (items: readonly Item[]) => void,
): (item: Item) => void {
  let pending: Item[] = [];
  const flush = () => {
    const items = pending;
    pending = [];
    if (items.length > 0) handle(items);
  };
  return (item) => {
    const count = pending.push(item);
    if (count === sizeMax) flush();
    else if (count === 1) setImmediate(flush);
  };
}

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
export function batchCallsPerTick<Item, Outcome>(
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
