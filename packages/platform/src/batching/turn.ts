import { setTimeout as sleep } from "node:timers/promises";

const gatherMs = 3;

/**
 * As many messages as leave in one write. With more, the next process would stand idle until this
 * one is done with all of them, and then this one until the next is.
 */
export const messagesInOneWrite = 16;

/**
 * Hands over together what comes in one turn of the event loop: one write instead of many, one
 * query instead of many. Alone, an item waits no longer than the turn takes; a full batch not at all.
 */
export function eachTurn<Item>(
  batchMax: number,
  handle: (items: readonly Item[]) => void,
): (item: Item) => void {
  let waiting: Item[] = [];
  const handOver = () => {
    const items = waiting;
    waiting = [];
    if (items.length > 0) handle(items);
  };
  return (item) => {
    const count = waiting.push(item);
    if (count === batchMax) handOver();
    else if (count === 1) setImmediate(handOver);
  };
}

/** Several at once, and few for what can be done at once: for those that follow it is worth waiting. */
export function isWorthGathering(count: number, max: number): boolean {
  return count >= 4 && count < max / 2;
}

/**
 * Hands over together what comes in one turn, and then whatever has come while that was being
 * handled: the busier it is, the larger the groups. After several, a few milliseconds are waited for
 * more: a group costs by itself what several items do. `handle` never rejects.
 */
export function inGroups<Item>(
  groupMax: number,
  handle: (items: readonly Item[]) => Promise<void>,
  gather: () => Promise<unknown> = () => sleep(gatherMs),
): (item: Item) => void {
  let waiting: Item[] = [];
  let isBusy = false;
  const handOver = async (): Promise<void> => {
    while (waiting.length > 0) {
      const group = waiting.slice(0, groupMax);
      waiting = waiting.slice(groupMax);
      await handle(group);
      if (isWorthGathering(group.length, groupMax)) await gather();
    }
    isBusy = false;
  };
  return (item) => {
    waiting.push(item);
    if (isBusy) return;
    isBusy = true;
    setImmediate(() => void handOver());
  };
}
