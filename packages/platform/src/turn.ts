/**
 * Hands over together what comes in one turn of the event loop: one write instead of many, one
 * query instead of many. Alone, an item waits no longer than the turn takes.
 */
export function eachTurn<Item>(
  batchMax: number,
  handle: (items: readonly Item[]) => void,
): (item: Item) => void {
  let waiting: Item[] = [];
  const handOver = () => {
    const items = waiting;
    waiting = [];
    for (let from = 0; from < items.length; from += batchMax) {
      handle(items.slice(from, from + batchMax));
    }
  };
  return (item) => {
    if (waiting.push(item) === 1) setImmediate(handOver);
  };
}

/**
 * Hands over together what comes in one turn, and then whatever has come while that was being
 * handled: the busier it is, the larger the groups. `handle` never rejects.
 */
export function inGroups<Item>(
  groupMax: number,
  handle: (items: readonly Item[]) => Promise<void>,
): (item: Item) => void {
  let waiting: Item[] = [];
  let isBusy = false;
  const handOver = async (): Promise<void> => {
    while (waiting.length > 0) {
      const group = waiting.slice(0, groupMax);
      waiting = waiting.slice(groupMax);
      await handle(group);
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
